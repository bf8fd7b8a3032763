// Counts again what processes of an older version wrote during a rolling upgrade, see older-processes.ts: one dataset at a time,
// under its lock, as the migrations did for what had been stored before them.
import type { DatasetKind } from '../../domain/dataset.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { EVENT_ROW_BYTES, ID_ROW_BYTES, RECORD_ROW_BYTES } from '../stored-bytes.ts';
import { countDatasetInPostgres } from './count-stored.ts';
import { TWO_32 } from './event-partitions.ts';
import { hasGuards, hasOlderProcesses, removeGuards } from './older-processes.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { settleOutbox } from './settle-outbox.ts';
import { withoutTimeLimit } from './silence-watch.ts';
import { type WriteContext, writeTransaction } from './write-context.ts';
import { FORGOTTEN_ID_SQL, noteChange } from './write-events.ts';

const LOOK_MS = 2000;
/** How often in a row no older process must be seen, because one that reconnects is still there. */
const LOOKS = 3;

export interface Settling {
  stop(): Promise<void>;
}

/** Checks repeatedly until the older processes are gone and everything they changed is counted. */
export function settleAfterOlder(database: PostgresDatabase): Settling {
  let quietLooks = 0;
  let work: Promise<void> | undefined;

  const look = async (): Promise<boolean> => {
    if (!(await database.connection(hasGuards))) return true;
    const isShared = await database.connection(hasOlderProcesses);
    quietLooks = isShared ? 0 : quietLooks + 1;
    return quietLooks >= LOOKS && (await settleAll(database));
  };
  const timer = database.runtime.every(LOOK_MS, () => {
    // The cause of a failure (a lost connection, a locked table) may be gone at the next look.
    work ??= look()
      .catch(() => false)
      .then((isOver) => {
        work = undefined;
        if (isOver) timer.cancel();
      });
  });
  return {
    async stop() {
      timer.cancel();
      await work;
    },
  };
}

async function settleAll(database: PostgresDatabase): Promise<boolean> {
  const waiting = await database.all<Target>(
    `SELECT w.dataset_no, d.dataset_id, d.account_id, d.kind, c.num_shards FROM older_write w
     LEFT JOIN dataset_count c ON c.dataset_no = w.dataset_no LEFT JOIN dataset d ON d.dataset_id = c.dataset_id`,
  );
  for (const target of waiting) {
    if (target.dataset_id !== null) {
      // The plan's limit is not checked, because the data is already stored.
      await writeTransaction(database, target, (context) => settle(context, target), { checksPlan: false });
    } else
      await database.atomic([{ sql: 'DELETE FROM older_write WHERE dataset_no = ?', params: [target.dataset_no] }]);
  }
  return database.transaction(removeGuards);
}

interface Target {
  dataset_no: number;
  dataset_id: string;
  account_id: string;
  num_shards: number;
  kind: DatasetKind;
}

async function settle(context: WriteContext, { kind }: Target): Promise<void> {
  const { client, counts } = context;
  // Events that wait for another server are in no table that is counted below.
  if (counts.pending_events > 0) await settleOutbox(context);
  await withoutTimeLimit(client);
  const ofDataset = [counts.dataset_no];
  // Deleted users leave no marks.
  await client.query(
    `DELETE FROM record_deletion d WHERE dataset_no = $1 AND ($2 OR EXISTS
       (SELECT 1 FROM record r WHERE r.dataset_no = d.dataset_no AND r.id = d.id))`,
    [counts.dataset_no, kind === 'user'],
  );
  const { rowCount: forgotten } = await client.query(
    `UPDATE interned SET id = ${FORGOTTEN_ID_SQL}
     WHERE dataset_no = $1 AND kind = ${INTERNED_KIND_NO.user} AND NOT starts_with(id, chr(1))
       AND NOT EXISTS (SELECT 1 FROM event e WHERE e.dataset_no = $1 AND e.place % ${TWO_32} = interned.no)`,
    ofDataset,
  );
  const { rows } = await client.query<{ bytes: number; deletions: number }>(
    `SELECT
       COALESCE((SELECT SUM(${RECORD_ROW_BYTES} + octet_length(id) + octet_length(attributes)) FROM record
         WHERE dataset_no = $1), 0) +
       COALESCE((SELECT SUM(${EVENT_ROW_BYTES} + octet_length(event_id) + COALESCE(octet_length(attributes), 0)
         + COALESCE(octet_length(recommendation), 0)) FROM event WHERE dataset_no = $1), 0) +
       COALESCE((SELECT SUM(${ID_ROW_BYTES} + octet_length(id)) FROM interned WHERE dataset_no = $1), 0) +
       COALESCE((SELECT SUM(${ID_ROW_BYTES} + octet_length(id)) FROM record_deletion WHERE dataset_no = $1), 0) AS bytes,
       (SELECT COUNT(*) FROM record_deletion WHERE dataset_no = $1) AS deletions`,
    ofDataset,
  );
  counts.stored_bytes = rows[0].bytes;
  counts.num_deletions = rows[0].deletions;
  counts.erasures += forgotten ?? 0;
  if (kind === 'event') {
    await client.query('UPDATE event_change SET counts = NULL WHERE dataset_no = $1', ofDataset);
    await client.query('DELETE FROM event_tally WHERE dataset_no = $1', ofDataset);
    await countDatasetInPostgres(client, counts.dataset_no, context.nowMs);
    counts.version++;
    await noteChange(context, []);
  } else {
    counts.version++;
    counts.changes_from = counts.version;
  }
  await client.query('DELETE FROM older_write WHERE dataset_no = $1', ofDataset);
}
