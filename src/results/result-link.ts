// The address of a result: signed, so that it needs no headers, and dated, so that it ends by itself. Any API node verifies it
// with the secret all nodes share; no table of links is kept.
//
//   {base_url}/results/{result_id}?expires={seconds}&signature={HMAC-SHA-256 of both}      then &format=csv or &format=svg
import { createHmac, timingSafeEqual } from 'node:crypto';
import { newSecret } from '../base/system.ts';
import { RESULT_PREFIX } from '../store/blob-store.ts';
import type { AccountStore } from '../store/registry-store.ts';

export const LINK_LIFETIME_SEC = 24 * 3600;
/** The hourly sweep removes files an hour after their link has ended (sweep-results.ts). */
export const FILES_LIFETIME_SEC = LINK_LIFETIME_SEC + 2 * 3600;
/** Formats of querying and clustering jobs. */
export const INSIGHT_FORMATS = ['json', 'csv', 'svg'] as const;
export type InsightFormat = (typeof INSIGHT_FORMATS)[number];
/** Formats of all jobs: recommendation jobs have `jsonl` and at most one table. */
export const RESULT_FORMATS = [...INSIGHT_FORMATS, 'jsonl', 'parquet'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

export interface ResultReference {
  resultId: string;
  expiredAtSec: number;
}

export function linkSecret(accounts: Pick<AccountStore, 'sharedSecret'>): Promise<string> {
  return accounts.sharedSecret('result-links', () => newSecret(32));
}

/** Start of all keys of a result. The time is in it, so that the sweep knows what has expired without opening anything. */
export function resultPrefix({ resultId, expiredAtSec }: ResultReference): string {
  return `${RESULT_PREFIX}${expiredAtSec}/${resultId}.`;
}

/** The blob of one form. */
export function resultKey(reference: ResultReference, format: ResultFormat): string {
  return resultPrefix(reference) + format;
}

/** null when the key is not one of ours. */
export function expiryOfKey(key: string): number | null {
  const match = /^results\/(\d{1,12})\//.exec(key);
  return match === null ? null : Number(match[1]);
}

/** The reverse of `resultPath`; null if the path is not one of ours. */
export function referenceOf(path: string): ResultReference | null {
  const [, resultId, expires] = /^\/results\/([^/?]+)\?expires=(\d{1,12})&/.exec(path) ?? [];
  return resultId === undefined ? null : { resultId: decodeURIComponent(resultId), expiredAtSec: Number(expires) };
}

/** Returns the path that follows the base address. */
export function resultPath(secret: string, reference: ResultReference): string {
  const signature = sign(secret, reference).toString('base64url');
  return `/results/${encodeURIComponent(reference.resultId)}?expires=${reference.expiredAtSec}&signature=${signature}`;
}

export function isSignedBy(secret: string, reference: ResultReference, signature: string): boolean {
  const given = Buffer.from(signature, 'base64url');
  const expected = sign(secret, reference);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function sign(secret: string, { resultId, expiredAtSec }: ResultReference): Buffer {
  return createHmac('sha256', secret).update(`${expiredAtSec}\n${resultId}`).digest();
}
