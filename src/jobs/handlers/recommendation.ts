// Recommendation: the list of every user, made on all cores and written line by line, so that only some batches are in memory.
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Job, JobFailure } from '../../domain/job.ts';
import type { RecommendationJobData } from '../../domain/recommendation-job.ts';
import { AppError } from '../../errors.ts';
import { ErasureGuard } from '../../insight/results/erasure-guard.ts';
import { listTable } from '../../insight/results/list-table.ts';
import { publishLines } from '../../insight/results/publish-lines.ts';
import { linkSecret } from '../../insight/results/result-link.ts';
import { type LivePlacement, LivePlacements } from '../../serving/live-placements.ts';
import type { Publication } from '../../store/job-queue.ts';
import type { Store } from '../../store/store.ts';
import { deliverTo } from '../deliver-file.ts';
import type { JobContext } from '../job-handler.ts';
import { attributeTypes } from '../recommendation/attribute-types.ts';
import { batchesOf, type JobBatches } from '../recommendation/job-users.ts';
import type { ListMaker } from '../recommendation/list-protocol.ts';
import { ListThreads } from '../recommendation/list-threads.ts';
import { UserLists } from '../recommendation/user-lists.ts';

/** The lists of fewer are made before threads have started. */
const USERS_FOR_THREADS = 2000;
const MAX_RESULT_BYTES = 8 * 1024 ** 3;

export async function recommend(context: JobContext): Promise<Publication> {
  const { job, store, blobs, config, scratchDir, attemptId, progress } = context;
  const data = job.job_data as RecommendationJobData;
  const deliver = deliverTo(context, data.destination);
  const erasures = await ErasureGuard.begin(store, job);
  const project = await store.projects.get(job.account_id, job.project_id);
  if (project === null) throw new JobFailure('PROJECT_NOT_FOUND', 'The project was deleted before the job ran.');
  progress({ fraction: 0, phase: 'load', message: 'Loading the model and the item catalog.' });
  const placement = data.placement === null ? null : await placementOf(store, job, data.placement);
  const attributes = [...(data.attributes ?? placement?.current.definition.defaults.attributes ?? [])];
  const order = { project, data, placement, attributes };
  const users = await batchesOf(data.users, project, context);
  const lists =
    users.users > USERS_FOR_THREADS
      ? await ListThreads.open({ config, ...order })
      : await UserLists.open(context, order);
  const linesFile = join(scratchDir, 'result.jsonl');
  let written = 0;
  try {
    const lines = linesOf(context, lists, users, (count) => (written += count));
    await pipeline(lines, createWriteStream(linesFile, { flags: 'wx', mode: 0o600 }));
  } finally {
    await lists.close();
  }
  const { format } = data;
  const types = format === 'parquet' ? await attributeTypes(store.items, project.item_dataset_id, attributes) : {};
  progress({ fraction: 0.95, phase: 'write', message: 'Writing the result.' });
  const published = await publishLines({
    deliver,
    ...{ blobs, scratchDir, resultId: attemptId, table: listTable(format, { attributes, types }) },
    ...{ secret: await linkSecret(store.accounts), nowMs: Date.now(), erasures },
  });
  const message = `Lists for ${written} ${written === 1 ? 'user' : 'users'}.`;
  return {
    // The eraser makes the table again from the lines, so it must know what is in it.
    result: {
      ...{ ...published, format, attributes, total_users: written, message },
      ...(format === 'parquet' && { attribute_types: types }),
    },
    ...(erasures && { erasures: erasures.state }),
  };
}

async function placementOf(store: Store, job: Job, name: string): Promise<LivePlacement> {
  try {
    const named = { accountId: job.account_id, projectId: job.project_id, name };
    return await new LivePlacements(store, () => 0).get(named);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PLACEMENT_NOT_FOUND')) throw error;
    throw new JobFailure('PLACEMENT_NOT_FOUND', `Placement ${name} was deleted before the job ran.`);
  }
}

async function* linesOf(
  { signal, progress }: JobContext,
  lists: ListMaker,
  { users, batches }: JobBatches,
  onWritten: (users: number) => number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const made of lists.make(batches(lists.historyLimit))) {
    signal.throwIfAborted();
    size += made.bytes.length;
    if (size > MAX_RESULT_BYTES) throw tooLarge();
    yield made.bytes;
    const done = onWritten(made.users);
    const fraction = 0.05 + 0.9 * Math.min(1, done / Math.max(1, users));
    progress({ fraction, phase: 'users', message: `${done} of ${Math.max(users, done)} users.` });
  }
}

function tooLarge(): JobFailure {
  const message = 'The result would be larger than 8 GiB. Request fewer items, attributes or users per job.';
  return new JobFailure('RESULT_TOO_LARGE', message);
}
