// Brings what waits in the outbox of a dataset to the other server, and notes it: readers may have looked at a user between the
// write and now, so the users count as changed once more. Only now can users be without events.
import { AppError } from '../../errors.ts';
import { TWO_32 } from './event-partitions.ts';
import { emptyOutbox } from './outbox.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { type WriteContext, type WriteTarget, writeTransaction } from './write-context.ts';
import { forgetUsers, noteChange } from './write-events.ts';

const SETTLE_EVERY_MS = 5000;

export async function settleOutbox(context: WriteContext): Promise<void> {
  const { gone, come } = await emptyOutbox(context);
  context.counts.version++;
  await forgetUsers(
    context,
    gone.map((place) => ({ place })),
  );
  await noteChange(
    context,
    [...gone, ...come].map((place) => place % TWO_32),
  );
}

/** Runs in its own transaction. The plan's limit is not checked, because the write is already stored. */
export async function settle(database: PostgresDatabase, target: WriteTarget): Promise<void> {
  try {
    await writeTransaction(database, target, settleOutbox, { checksPlan: false });
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The writer must not repeat the write: it is stored, and the next write or the timer delivers the outbox within
    // seconds.
    throw new AppError('STORE_UNAVAILABLE', 'A server that keeps a part of the events did not respond. Try again.', {
      cause: error,
      retryAfterSec: 1,
    });
  }
}

/** Applies what interrupted writes left in the outbox, now and every few seconds. */
export function emptyOutboxRegularly(database: PostgresDatabase): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= settleAll(database)
      // Writers get the error that caused this.
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
  };
  const timer = database.runtime.every(SETTLE_EVERY_MS, run);
  run();
  return {
    async stop() {
      timer.cancel();
      await running;
    },
  };
}

async function settleAll(database: PostgresDatabase): Promise<void> {
  const targets = await database.all<WriteTarget>(
    `SELECT d.account_id, c.dataset_id, c.num_shards FROM dataset_count c JOIN dataset d ON d.dataset_id = c.dataset_id
     WHERE c.pending_events > 0`,
  );
  // If one server is down, the changes for the others still go through.
  for (const target of targets) await settle(database, target).catch(() => {});
}
