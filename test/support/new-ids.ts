// Ids, jobs and keys as the service makes and checks them, with the system's time and random bytes.

import { systemRuntime } from '../../src/base/runtime.ts';
import * as credentials from '../../src/domain/credentials.ts';
import * as ids from '../../src/domain/ids.ts';
import * as jobs from '../../src/domain/job.ts';

export const newId = (kind: Parameters<typeof ids.newId>[0], nowMs?: number): string =>
  ids.newId(kind, systemRuntime, nowMs);

export const newJob = (given: Parameters<typeof jobs.newJob>[0], nowMs?: number): jobs.Job =>
  jobs.newJob(given, systemRuntime, nowMs);

export const newCredentials = (accountId: string, made: credentials.NewKey) =>
  credentials.newCredentials(accountId, made, systemRuntime);

export const newBrowserKey = (accountId: string, made: Parameters<typeof credentials.newBrowserKey>[1]) =>
  credentials.newBrowserKey(accountId, made, systemRuntime);

export const newRotation = (graceHours: number) => credentials.newRotation(graceHours, Date.now());

export const matchingSecret = (
  key: Parameters<typeof credentials.matchingSecret>[0],
  secret: string,
  nowMs: number = Date.now(),
) => credentials.matchingSecret(key, secret, nowMs);
