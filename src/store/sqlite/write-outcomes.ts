// Served lists, impressions and what is forgotten of users, inside the writer's transaction; see store/outcomes/outcome-rules.ts.
import type { DatabaseSync } from 'node:sqlite';
import { itemHash, userHash } from '../../domain/id-hash.ts';
import { MAX_LIST_AGE_MS } from '../../domain/recommendation.ts';
import type { DatasetCounts } from '../dataset-counts.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import type { ImpressionOutcome } from '../outcome-store.ts';
import {
  countedList,
  countImpressions,
  countServed,
  listsOf,
  MAX_TOUCHES,
  REMOVED_AT_ONCE,
  type StoredTouch,
  type Viewer,
  viewersOf,
  widenSpan,
} from '../outcomes/outcome-rules.ts';
import { runSteps } from '../outcomes/outcome-tables.ts';
import { shardOf } from '../shard-of.ts';
import { datasetCountTable } from './dataset-counts.ts';
import { PlaceEncoder, PlaceReader } from './event-place.ts';
import type { SqliteOutcomeSteps } from './outcome-steps.ts';
import type {
  AddImpressionsCommand,
  AddServedCommand,
  ForgetOutcomesCommand,
  MergeUsersCommand,
  WriteTarget,
} from './write-protocol.ts';

export function outcomeWriter(db: DatabaseSync, steps: SqliteOutcomeSteps) {
  const datasetCounts = datasetCountTable(db);
  const isNew = db.prepare(
    'INSERT INTO outcome_served (batch_id, dataset_no, created_ts) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const removeBatches = db.prepare('DELETE FROM outcome_served WHERE dataset_no = ? AND created_ts < ?');
  const removeItems = db.prepare(
    `DELETE FROM outcome_item WHERE (dataset_no, created_ms, random, item_hash) IN (
       SELECT dataset_no, created_ms, random, item_hash FROM outcome_item WHERE dataset_no = ? AND created_ms < ? LIMIT ?)`,
  );
  const places = db.prepare('SELECT place FROM event_place WHERE place >= ? AND place <= ? LIMIT ?');
  const recommendationOf = db.prepare('SELECT recommendation FROM event WHERE seq = ?');
  const userNo = db.prepare(
    `SELECT no FROM interned WHERE dataset_no = ? AND kind = ${INTERNED_KIND_NO.user} AND id = ?`,
  );
  const idOf = db.prepare('SELECT id FROM interned WHERE dataset_no = ? AND kind = ? AND no = ?');
  const forgetItems = db.prepare(
    'DELETE FROM outcome_item WHERE dataset_no = ? AND user_hash = ? AND shown_ts IS NOT NULL',
  );
  const forgetUsers = db.prepare(
    `DELETE FROM outcome_user WHERE user_hash = ? AND series_no IN (
       SELECT s.series_no FROM outcome_series s LEFT JOIN project p ON p.project_id = s.project_id
       WHERE p.event_dataset_id = ? OR p.project_id IS NULL)`,
  );
  const move = db.prepare(
    'UPDATE outcome_item SET user_hash = ? WHERE dataset_no = ? AND user_hash = ? AND shown_ts IS NOT NULL',
  );

  const stepsOf = ({ dataset_id }: WriteTarget, { dataset_no }: DatasetCounts) => steps.of({ dataset_no, dataset_id });

  function touchesOf(target: WriteTarget, counts: DatasetCounts, viewer: Viewer, nowMs: number): StoredTouch[] {
    const { dataset_no } = counts;
    const found = userNo.get(dataset_no, viewer.userId) as { no: number } | undefined;
    if (found === undefined) return [];
    const bound = (ts: number, seq: number) =>
      new PlaceEncoder().owner(dataset_no, shardOf(viewer.userId, target.num_shards), found.no).time(ts, seq).bytes;
    const from = bound(viewer.fromTs, 0).slice(0, 24);
    const rows = places.all(from, bound(viewer.toTs + 1, 0).slice(0, 24), MAX_TOUCHES) as { place: Uint8Array }[];
    return rows.map(({ place }) => {
      const read = new PlaceReader(place);
      const id = (kind: 'item' | 'type', no: number): string =>
        (idOf.get(dataset_no, INTERNED_KIND_NO[kind], no) as { id: string }).id;
      const stored = recommendationOf.get(read.seq(0)) as { recommendation: string | null };
      return {
        ...{ ts: read.ts(0), value: read.value(0), event_type: id('type', read.type(0)) },
        userHash: userHash(target.account_id, viewer.userId),
        itemHash: itemHash(id('item', read.item(0))),
        list: countedList(stored.recommendation, nowMs),
      };
    });
  }

  return {
    addServed({ target, batch }: AddServedCommand, nowMs: number): undefined {
      const counts = datasetCounts.read(target);
      if (isNew.run(batch.batchId, counts.dataset_no, nowMs).changes === 0) return;
      runSteps(countServed(batch), stepsOf(target, counts));
      removeBatches.run(counts.dataset_no, nowMs - MAX_LIST_AGE_MS);
      removeItems.run(counts.dataset_no, nowMs - MAX_LIST_AGE_MS, REMOVED_AT_ONCE);
    },

    addImpressions({ target, impressions }: AddImpressionsCommand, nowMs: number): ImpressionOutcome[] {
      const counts = datasetCounts.read(target);
      const lists = listsOf(impressions, nowMs);
      const touches = viewersOf(impressions).flatMap((viewer) => touchesOf(target, counts, viewer, nowMs));
      const outcomes = runSteps(countImpressions({ impressions, lists, touches }), stepsOf(target, counts));
      widenSpan(counts, impressions);
      datasetCounts.write(counts);
      return outcomes;
    },

    forget({ target, userId }: ForgetOutcomesCommand): undefined {
      const hash = userHash(target.account_id, userId);
      forgetItems.run(datasetCounts.read(target).dataset_no, hash);
      forgetUsers.run(hash, target.dataset_id);
    },

    /** What was shown to one user was shown to the other. */
    merge({ target, from, into }: MergeUsersCommand): void {
      const [old, hash] = [from, into].map((userId) => userHash(target.account_id, userId));
      move.run(hash, datasetCounts.read(target).dataset_no, old);
    },
  };
}
