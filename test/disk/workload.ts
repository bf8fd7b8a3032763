// Work on a store that says after each write what it was told. `node workload.ts FOLDER MARKS` runs it once under shim.c.
// FOLDER gets the data; MARKS one line for each acknowledgement:
//
//   project IDS     account, project and datasets are stored
//   event ID        the event is stored            forgotten USER   no event of the user is stored
//   item ID         the item is stored             removed ID       the item is deleted
//   model ID        its training job succeeded     served N         N lists were counted in the journal
//   error TEXT      a call failed with this text   lost TEXT        what was acknowledged could not be read
import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { saveModel } from '../../src/artifact/g1-file.ts';
import type { Project } from '../../src/domain/project.ts';
import { ServedJournal } from '../../src/outcomes/served-journal.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { newId, newJob } from '../support/new-ids.ts';
import { makeAccount, makeEvent, makeProject, scanAll } from '../support/store-fixtures.ts';
import { toyModel } from '../support/toy-model.ts';
import { promisedBy, userOf } from './marks.ts';

const ROUNDS = 6;
const EVENTS_OF_ROUND = 20;

export async function runWorkload(dataDir: string, marksFile: string): Promise<void> {
  const file = openSync(marksFile, 'a');
  const marks: string[] = [];
  const mark = (line: string): void => {
    marks.push(line);
    writeSync(file, `${line}\n`);
  };
  /** A call that fails is noted and the work goes on, as a client would. */
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      const { code, name, message } = error as NodeJS.ErrnoException;
      mark(`error ${code ?? name}: ${message.replaceAll('\n', ' ')}`);
      return null;
    }
  };
  const persist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      const done = await attempt(work);
      if (done !== null) return done;
    }
  };

  const store = await persist(() => openStore({ dataDir }));
  const blobs = openBlobStore({ dataDir });
  const account = await persist(() => makeAccount(store));
  const project = await persist(() => makeProject(store, account));
  const datasetOf = (kind: 'item' | 'event', id: string) => persist(() => store.datasets.get(account, kind, id));
  const items = (await datasetOf('item', project.item_dataset_id))!;
  const events = (await datasetOf('event', project.event_dataset_id))!;
  mark(`project ${account} ${project.project_id} ${items.dataset_id} ${events.dataset_id}`);

  const journal = await persist(async () => new ServedJournal(join(dataDir, `journal-${newId('job')}`)));
  const origin = { accountId: account, projectId: project.project_id, modelId: null, placement: null, variant: null };

  for (let round = 0; round < ROUNDS; round++) {
    const batch = Array.from({ length: EVENTS_OF_ROUND }, (_, n) =>
      makeEvent({ event_id: `e${round}-${n}`, user_id: userOf(round, n), item_id: `i${n}`, ts: round * 100 + n }),
    );
    if (await attempt(() => store.events.upsert(events, batch)))
      for (const { event_id } of batch) mark(`event ${event_id}`);
    const item = { id: `i${round}`, attributes: { text: 'x'.repeat(3000) } };
    if (await attempt(() => store.items.upsert(items, [item]))) mark(`item ${item.id}`);
    if (round % 2 === 1) {
      const gone = `i${round - 1}`;
      if ((await attempt(() => store.items.delete(items, [gone]))) !== null) mark(`removed ${gone}`);
      const user = `u${round % 5}`;
      if ((await attempt(() => store.events.deleteOfUser(events, user))) !== null) mark(`forgotten ${user}`);
    }
    const modelId = await attempt(() => train(dataDir, store, blobs, project));
    if (modelId) mark(`model ${modelId}`);
    // Each hour has a line of its own.
    journal.count(origin as never, round, 10);
    // What could not be written is written the next time.
    await attempt(async () => journal.write());
    mark(`served ${round + 1}`);
    await attempt(readBack);
  }
  await attempt(async () => journal.close());
  await attempt(() => store.close());
  closeSync(file);

  /** What a read returns is right, or it fails. */
  async function readBack(): Promise<void> {
    const promised = promisedBy(marks);
    const there = [...promised.events].filter(([, isThere]) => isThere).map(([id]) => id);
    const scanned = (await scanAll(store, events)).length;
    if (scanned < there.length) mark(`lost ${there.length - scanned} events of a scan`);
    for (const id of there.slice(-3))
      if ((await store.events.get(events.dataset_id, id)) === null) mark(`lost event ${id}`);
    for (const [id, isThere] of promised.items)
      if (isThere && (await store.items.get(items.dataset_id, id)) === null) mark(`lost item ${id}`);
  }
}

/** As a worker does: the file first, then the row together with the status of the job. */
async function train(dataDir: string, store: Store, blobs: BlobStore, project: Project): Promise<string | null> {
  const { account_id, project_id } = project;
  await store.jobs.submit(newJob({ account_id, project_id, job_type: 'TRAINING', job_data: {} }));
  const claimed = await store.queue.claim('worker', ['TRAINING'], Date.now());
  if (claimed === null) return null;
  const model_id = newId('model');
  const bought = Array.from({ length: 40 }, (_, n) => ({ user: `u${n % 7}`, item: `i${n % 11}` }));
  try {
    const file = join(mkdtempSync(join(dataDir, 'scratch-')), 'model');
    await saveModel(file, toyModel(bought));
    const artifact_key = `models/${model_id}.kindred`;
    await blobs.putFile(artifact_key, file);
    const model = {
      account_id,
      project_id,
      model_id,
      name: 'm',
      algorithm_type: 'G1' as const,
      algorithm_parameters: {},
      created_ts: 1,
      job_id: claimed.job.job_id,
      artifact_key,
      metrics: null,
      training: {},
    };
    const isPublished = await store.queue.finish(claimed.lease, { result: { model_id }, model }, Date.now());
    return isPublished ? model_id : null;
  } catch (error) {
    // As a worker whose job failed: if this fails too, its lease ends.
    await store.queue.fail(claimed.lease, { code: 'FAILED', message: 'failed' }, Date.now()).catch(() => {});
    throw error;
  }
}

if (import.meta.main) await runWorkload(process.argv[2], process.argv[3]);
