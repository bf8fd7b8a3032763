// The counter of changes that API nodes follow; part of the transaction that makes the change. It is the last lock a
// transaction takes, so that no two wait for each other.
import type { Database, Statement } from '../database.ts';

export const RAISE_EPOCH: Statement = {
  sql: `INSERT INTO serving_epoch (one, epoch) VALUES (1, 1)
        ON CONFLICT (one) DO UPDATE SET epoch = serving_epoch.epoch + 1 RETURNING epoch`,
};

export async function readEpoch(database: Database): Promise<number> {
  const [row] = await database.all('SELECT epoch FROM serving_epoch');
  return Number(row?.epoch ?? 0);
}
