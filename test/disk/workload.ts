// A process that writes to a store and says after each write what it was told. Run under shim.c: `node workload.ts FOLDER MARKS [MAX_MS]`.
// FOLDER gets the data; MARKS, in the same watched folder, one line for each acknowledgement:
//
//   event ID        the event is stored            forgotten USER   no event of the user is stored
//   item ID         the item is stored             removed ID       the item is deleted
//   model ID        its training job succeeded     served N         N lists were counted in the journal
//   error TEXT      a call failed with this text
import { appendFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { saveModel } from '../../src/artifact/g1-file.ts';
import { newId } from '../../src/domain/ids.ts';
import { newJob } from '../../src/domain/job.ts';
import { ServedJournal } from '../../src/outcomes/served-journal.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { makeAccount, makeEvent, makeProject } from '../support/store-fixtures.ts';
import { toyModel } from '../support/toy-model.ts';

const ROUNDS = 6;
const [dataDir, marks] = process.argv.slice(2);
const mark = (line: string): void => appendFileSync(marks, `${line}\n`);

/** A call that fails is noted and the work continues, as a client would. */
async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    mark(`error ${(error as Error).message.replaceAll('\n', ' ')}`);
    return null;
  }
}

async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const done = await attempt(work);
    if (done !== null) return done;
  }
}

const store = await persist(() => openStore({ dataDir }));
const blobs = openBlobStore({ dataDir });
const account = await persist(() => makeAccount(store));
const project = await persist(() => makeProject(store, account));
const datasetOf = (kind: 'item' | 'event', id: string) => persist(() => store.datasets.get(account, kind, id));
const items = (await datasetOf('item', project.item_dataset_id))!;
const events = (await datasetOf('event', project.event_dataset_id))!;
mark(`project ${account} ${project.project_id} ${items.dataset_id} ${events.dataset_id}`);

const journal = await persist(async () => new ServedJournal(join(dataDir, `journal-${process.pid}`)));
const origin = { accountId: account, projectId: project.project_id, modelId: null, placement: null, variant: null };

for (let round = 0; round < ROUNDS; round++) {
  const batch = Array.from({ length: 20 }, (_, n) =>
    makeEvent({ event_id: `e${round}-${n}`, user_id: `u${(round + n) % 5}`, item_id: `i${n}`, ts: round * 100 + n }),
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
  const modelId = await attempt(train);
  if (modelId) mark(`model ${modelId}`);
  await attempt(async () => journal.count(origin as never, 1, 10));
  mark(`served ${round + 1}`);
}
await attempt(() => store.close());

/** As a worker does: the file first, then the row together with the status of the job. */
async function train(): Promise<string | null> {
  const job = newJob({ account_id: account, project_id: project.project_id, job_type: 'TRAINING', job_data: {} });
  await store.jobs.submit(job);
  const claimed = await store.queue.claim('worker', ['TRAINING'], Date.now());
  if (claimed === null) return null;
  const modelId = newId('model');
  const file = join(mkdtempSync(join(dataDir, 'scratch-')), 'model');
  const bought = Array.from({ length: 40 }, (_, n) => ({ user: `u${n % 7}`, item: `i${n % 11}` }));
  try {
    await saveModel(file, toyModel(bought));
    const artifact_key = `models/${modelId}.kindred`;
    await blobs.putFile(artifact_key, file);
    const model = {
      ...{
        account_id: account,
        project_id: project.project_id,
        model_id: modelId,
        name: 'm',
        algorithm_type: 'G1' as const,
      },
      ...{
        algorithm_parameters: {},
        created_ts: 1,
        job_id: claimed.job.job_id,
        artifact_key,
        metrics: null,
        training: {},
      },
    } as const;
    const isPublished = await store.queue.finish(claimed.lease, { result: { model_id: modelId }, model }, Date.now());
    return isPublished ? modelId : null;
  } catch (error) {
    await attempt(() => store.queue.fail(claimed.lease, { code: 'FAILED', message: 'failed' }, Date.now()));
    throw error;
  }
}
