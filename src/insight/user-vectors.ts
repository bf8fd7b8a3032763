// The taste vector of every user of a range with a history, batch by batch; users whose items say nothing are left out.

import { type OpenedModel, openTastes, type PieceRun, scanUsers } from './insight-run.ts';
import { BegunScan } from './users/begun-scan.ts';

export interface UserVector {
  readonly userId: string;
  /** overwritten by the next batch */
  readonly vector: Float32Array;
}

const BATCH_USERS = 1024;

export async function* userVectors(
  run: Pick<PieceRun, 'store' | 'signal' | 'range' | 'opened' | 'plannedMs'>,
  opened: OpenedModel,
): AsyncGenerator<UserVector[]> {
  const { project, model } = opened;
  const blocks = new BegunScan(run.store.events.scan(project.event_dataset_id, run.range.shards));
  try {
    const scan = await scanUsers(run, opened, blocks);
    const tastes = await openTastes(run, opened, BATCH_USERS);
    const { dimensions } = model.vectors;
    for await (const _ of scan.histories([tastes.batch])) {
      await scan.readIds();
      yield Array.from(tastes.rows(), ({ user, vector }) => ({
        userId: scan.directory.at(user)!,
        vector: vector.subarray(0, dimensions),
      }));
    }
  } finally {
    await blocks.stop();
  }
}
