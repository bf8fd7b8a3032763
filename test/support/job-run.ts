// Runs the handler of a job in this process, on a store and files of its own.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { systemRuntime } from '../../src/base/runtime.ts';
import type { JobProgress, JobType } from '../../src/domain/job.ts';
import type { Project } from '../../src/domain/project.ts';
import type { JobConfig, JobContext, JobHandler, JobSplit } from '../../src/jobs/job-handler.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import type { Publication } from '../../src/store/job-queue.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newJob } from './new-ids.ts';
import { makeAccount, makeProject } from './store-fixtures.ts';
import { newTestPlace, type TestPlace } from './test-database.ts';

export interface JobPlace {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly dataDir: string;
  /** without records */
  readonly project: Project;
  /** Resolves to the result and what the handler told of its progress. */
  run(handler: JobHandler, type: JobType, data: object, change?: Partial<JobContext>): Promise<JobRun>;
  /** The files of the last result by their endings. They are deleted. */
  takeResult(): Promise<Record<string, string>>;
}

export interface JobRun {
  readonly done: Publication | JobSplit;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results freely.
  readonly result: any;
  readonly progress: JobProgress[];
}

/** A store for the tests of a file. Returns what makes a place in it, with a project of its own. */
export function jobPlaces(): (config?: Partial<JobConfig>) => Promise<JobPlace> {
  let place: TestPlace;
  let store: Store;
  before(async () => {
    place = await newTestPlace('sqlite');
    store = await openStore(place);
  });
  after(async () => {
    await store.close();
    await place.remove();
  });
  return (config = {}) => placeIn(place, store, config);
}

async function placeIn(place: TestPlace, store: Store, config: Partial<JobConfig>): Promise<JobPlace> {
  const { dataDir } = place;
  const blobs = openBlobStore(place);
  const project = await makeProject(store, await makeAccount(store));
  return {
    store,
    blobs,
    dataDir,
    project,
    async run(handler, job_type, job_data, change = {}) {
      const scratchDir = mkdtempSync(join(dataDir, 'run-'));
      const progress: JobProgress[] = [];
      const { account_id, project_id } = project;
      const job = newJob({ account_id, project_id, job_type, job_data: job_data as Record<string, unknown> });
      const done = await handler({
        job,
        store,
        blobs,
        attemptId: `${job.job_id}-1`,
        scratchDir,
        lease: { jobId: job.job_id, attempt: 1 },
        config: { ...place, ...config },
        signal: new AbortController().signal,
        runtime: systemRuntime,
        progress: (one) => void progress.push(one),
        log: { info: () => {}, warn: () => {} },
        ...change,
      });
      return { done, result: (done as Publication).result, progress };
    },
    async takeResult() {
      const files: Record<string, string> = {};
      for await (const { key } of blobs.list('results/')) {
        const { stream } = await blobs.read(key);
        const bytes = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
        files[key.split('.').at(-1)!] = bytes.toString();
        await blobs.delete(key);
      }
      return files;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines freely.
export const parsedLines = (text: string): any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
