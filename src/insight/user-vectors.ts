// The taste vector of every user of a range with a history, batch by batch; users whose items say nothing are left out.

import { type OpenedModel, type PieceRun, scanUsers } from './insight-run.ts';
import { BegunScan } from './users/begun-scan.ts';
import { TasteVectors } from './users/taste-vectors.ts';

export interface UserVector {
  readonly userId: string;
  readonly vector: number[];
}

const BATCH_USERS = 1024;

export async function* userVectors(
  run: Pick<PieceRun, 'store' | 'signal' | 'range'>,
  opened: OpenedModel,
): AsyncGenerator<UserVector[]> {
  const { project, model, recommender } = opened;
  const blocks = new BegunScan(run.store.events.scan(project.event_dataset_id, run.range.shards));
  try {
    const scan = await scanUsers(run, opened, blocks);
    const entries = Math.max(2 * recommender.historyLimit, BATCH_USERS * 128);
    const tastes = new TasteVectors(model, { users: BATCH_USERS, entries });
    const { dimensions } = model.vectors;
    for await (const _ of scan.histories([tastes.batch])) {
      await scan.readIds();
      yield Array.from(tastes.rows(), ({ user, vector }) => ({
        userId: scan.directory.at(user)!,
        vector: Array.from(vector.subarray(0, dimensions)),
      }));
    }
  } finally {
    await blocks.stop();
  }
}
