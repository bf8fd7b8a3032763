// One write transaction on one dataset. It starts by locking the dataset's row of counters: writers of a dataset, on whatever
// node, go one after the other, which keeps counts, capacity and numbers exact. Every transaction takes this lock first, that of
// a user dataset second (a merge), and the lock of their account, whose bytes it counts, last: there is no cycle to deadlock in.
import type pg from 'pg';
import { AppError } from '../../errors.ts';
import type { DatasetCounts } from '../dataset-counts.ts';
import { storageExceeded } from '../stored-bytes.ts';
import { type EventPartition, PARTITIONS_SQL, type PartitionRow, partitionsOf } from './event-partitions.ts';
import type { PostgresDatabase } from './postgres-database.ts';

export interface WriteTarget {
  account_id: string;
  dataset_id: string;
  num_shards: number;
}

export interface WrittenCounts extends DatasetCounts {
  last_seq: number;
  /** number of changes that wait for another server, see outbox.ts */
  pending_events: number;
}

export type TimedStep = <T>(name: string, work: () => T) => T;

const untimed: TimedStep = (_, work) => work();

export interface WriteContext {
  client: pg.PoolClient;
  target: WriteTarget;
  /** Changed in memory, written back before the commit. */
  counts: WrittenCounts;
  /** The partitions of the event table, unchanged until the commit. */
  partitions: readonly EventPartition[];
  /** the time of the write */
  nowMs: number;
  /** Times a step of the write for the traces of its requests. */
  step: TimedStep;
  /** Runs once the transaction is durable. */
  afterCommit(action: () => void): void;
  /**
   * Changes a user dataset of the same account in the same transaction. This context must be one of an event dataset, because
   * locks are always taken in that order.
   */
  withUsers<T>(target: WriteTarget, work: (context: WriteContext) => Promise<T>): Promise<T>;
  /** Runs changes that may exceed the plan. */
  outsidePlan<T>(work: () => Promise<T>): Promise<T>;
}

export async function writeTransaction<T>(
  database: PostgresDatabase,
  target: WriteTarget,
  work: (context: WriteContext) => Promise<T>,
  { checksPlan = true, step = untimed }: { checksPlan?: boolean; step?: TimedStep } = {},
): Promise<T> {
  let actions: (() => void)[] = [];
  const result = await database.writing(async (client) => {
    actions = [];
    let [bytes, bytesOutsidePlan] = [0, 0];
    const change = async <R>(changed: WriteTarget, run: (context: WriteContext) => Promise<R>): Promise<R> => {
      const { counts, partitions } = await lockCounts(client, changed);
      const bytesBefore = counts.stored_bytes;
      const nowMs = database.runtime.nowMs();
      const outsidePlan = async <S>(part: () => Promise<S>): Promise<S> => {
        const before = bytes + counts.stored_bytes;
        const output = await part();
        bytesOutsidePlan += bytes + counts.stored_bytes - before;
        return output;
      };
      const context = { client, target: changed, counts, partitions, nowMs, step, withUsers: change, outsidePlan };
      const response = await run({ ...context, afterCommit: (action) => actions.push(action) });
      await writeCounts(client, counts);
      bytes += counts.stored_bytes - bytesBefore;
      return response;
    };
    const response = await change(target, work);
    await addToAccount(client, target, bytes, checksPlan ? bytes - bytesOutsidePlan : 0);
    return response;
  });
  for (const action of actions) action();
  return result;
}

async function writeCounts(client: pg.PoolClient, counts: WrittenCounts): Promise<void> {
  await client.query(
    `UPDATE dataset_count SET num_records = $2, version = $3, changes_from = $4, num_users = $5, num_items = $6,
       num_types = $7, num_deletions = $8, erasures = $9, last_seq = $10, stored_bytes = $11, merges = $12,
       shown_from_ts = $13, shown_to_ts = $14, pending_events = $15
     WHERE dataset_no = $1`,
    [
      counts.dataset_no,
      counts.num_records,
      counts.version,
      counts.changes_from,
      counts.num_users,
      counts.num_items,
      counts.num_types,
      counts.num_deletions,
      counts.erasures,
      counts.last_seq,
      counts.stored_bytes,
      counts.merges,
      counts.shown_from_ts,
      counts.shown_to_ts,
      counts.pending_events,
    ],
  );
}

/**
 * Run last, because it blocks writers of the account's other datasets. Throws PLAN_LIMIT_EXCEEDED, which undoes the
 * transaction.
 */
async function addToAccount(
  client: pg.PoolClient,
  { account_id }: WriteTarget,
  bytes: number,
  bytesInPlan: number,
): Promise<void> {
  if (bytes === 0) return;
  const { rows } = await client.query<{ storage_bytes: number; max_storage_bytes: number }>(
    `UPDATE account SET storage_bytes = storage_bytes + $2 WHERE account_id = $1
     RETURNING storage_bytes, max_storage_bytes`,
    [account_id, bytes],
  );
  const [account] = rows;
  if (bytesInPlan > 0 && account && account.storage_bytes > account.max_storage_bytes) {
    throw storageExceeded(account.max_storage_bytes);
  }
}

/** A named statement, planned once per connection. */
const LOCK = {
  name: 'kindred_lock_counts',
  text: `SELECT c.*, ${PARTITIONS_SQL} AS partitions FROM dataset_count c WHERE c.dataset_id = $1 FOR UPDATE OF c`,
};

type LockedRow = WrittenCounts & { partitions: PartitionRow[] };

async function lockCounts(client: pg.PoolClient, { dataset_id, num_shards }: WriteTarget) {
  // Blocks the deletion of the dataset until the commit, and fails if it was deleted before.
  const dataset = await client.query('SELECT 1 FROM dataset WHERE dataset_id = $1 FOR KEY SHARE', [dataset_id]);
  if (dataset.rowCount === 0) throw new AppError('DATASET_NOT_FOUND', `Dataset ${dataset_id} was not found.`);
  let { rows } = await client.query<LockedRow>(LOCK, [dataset_id]);
  if (rows.length === 0) {
    await client.query('INSERT INTO dataset_count (dataset_id, num_shards) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      dataset_id,
      num_shards,
    ]);
    ({ rows } = await client.query<LockedRow>(LOCK, [dataset_id]));
  }
  const [{ partitions, ...counts }] = rows;
  return { counts, partitions: partitionsOf(partitions) };
}
