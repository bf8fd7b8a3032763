// The taste vector of every user of a range with a history, batch by batch; users whose items say nothing are left out.

import { type OpenedModel, type PieceRun, scanUsers } from './insight-run.ts';
import { BegunScan } from './users/begun-scan.ts';
import { HistoryBatch } from './users/history-batch.ts';
import { writeVector } from './users/taste-vector.ts';

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
    const batch = new HistoryBatch(BATCH_USERS, Math.max(2 * recommender.historyLimit, BATCH_USERS * 128));
    const vector = new Float32Array(model.vectors.dimensions);
    for await (const { first, count } of scan.histories([batch])) {
      await scan.readIds();
      const found: UserVector[] = [];
      for (let n = 0; n < count; n++) {
        if (!writeVector(model, batch, n, vector)) continue;
        found.push({ userId: scan.directory.at(first + n)!, vector: Array.from(vector) });
      }
      yield found;
    }
  } finally {
    await blocks.stop();
  }
}
