// Served lists, impressions and what is forgotten of users, inside the writer's transaction; see store/outcomes/outcome-rules.ts.

import type { DatabaseSync } from 'node:sqlite';
import { userHash } from '../../base/id-hash.ts';
import type { EntityKind } from '../../domain/dataset.ts';
import { MAX_LIST_AGE_MS } from '../../domain/recommendation.ts';
import type { DatasetCounts } from '../dataset-counts.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import type { ImpressionOutcome } from '../outcome-store.ts';
import { shownItems, touchesOf, type ViewerEvents, type ViewerQuery } from '../outcomes/impression-touches.ts';
import { countImpressions, countServed, listsOf, REMOVED_AT_ONCE, widenSpan } from '../outcomes/outcome-rules.ts';
import { runSteps } from '../outcomes/outcome-tables.ts';
import { shardOf } from '../shard-of.ts';
import { FORGET_BATCHES_SQL } from '../sql/forget-batches.ts';
import { FORGET_VISITOR_SQL, MERGE_VISITOR_SQL } from '../sql/visitor-rows.ts';
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
  const removeBatches = db.prepare(FORGET_BATCHES_SQL);
  const removeItems = db.prepare(
    `DELETE FROM outcome_item WHERE (dataset_no, created_ms, random, item_hash) IN (
       SELECT dataset_no, created_ms, random, item_hash FROM outcome_item WHERE dataset_no = ? AND created_ms < ? LIMIT ?)`,
  );
  const places = db.prepare('SELECT place FROM event_place WHERE place >= ? AND place <= ? LIMIT ?');
  const recommendationOf = db.prepare('SELECT recommendation FROM event WHERE seq = ?');
  const noOf = db.prepare('SELECT no FROM interned WHERE dataset_no = ? AND kind = ? AND id = ?');
  const typeOf = db.prepare(
    `SELECT id AS event_type FROM interned WHERE dataset_no = ? AND kind = ${INTERNED_KIND_NO.type} AND no = ?`,
  );
  const forgetItems = db.prepare(
    'DELETE FROM outcome_item WHERE dataset_no = ? AND user_hash = ? AND shown_ts IS NOT NULL',
  );
  const forgetVisitor = db.prepare(FORGET_VISITOR_SQL);
  const mergeVisitor = db.prepare(MERGE_VISITOR_SQL);
  const move = db.prepare(
    'UPDATE outcome_item SET user_hash = ? WHERE dataset_no = ? AND user_hash = ? AND shown_ts IS NOT NULL',
  );

  const stepsOf = ({ dataset_id }: WriteTarget, { dataset_no }: DatasetCounts) => steps.of({ dataset_no, dataset_id });

  const numberOf = (datasetNo: number, kind: EntityKind, id: string): number | undefined =>
    (noOf.get(datasetNo, INTERNED_KIND_NO[kind], id) as { no: number } | undefined)?.no;

  /** Reads the events of a viewer with these items. */
  function viewerReader(target: WriteTarget, { dataset_no }: DatasetCounts, items: ReadonlySet<string>) {
    const itemsByNo = new Map([...items].map((id) => [numberOf(dataset_no, 'item', id), id]));
    return ({ userId, fromTs, toTs, limit }: ViewerQuery): ViewerEvents => {
      const user = numberOf(dataset_no, 'user', userId);
      if (user === undefined) return { read: 0, events: [] };
      const start = (ts: number) =>
        new PlaceEncoder().owner(dataset_no, shardOf(userId, target.num_shards), user).time(ts, 0).bytes.slice(0, 24);
      const rows = places.all(start(fromTs), start(toTs + 1), limit) as { place: Uint8Array }[];
      const events = rows.flatMap(({ place }) => {
        const read = new PlaceReader(place);
        const item_id = itemsByNo.get(read.item(0));
        if (item_id === undefined) return [];
        const { event_type } = typeOf.get(dataset_no, read.type(0)) as { event_type: string };
        const { recommendation } = recommendationOf.get(read.seq(0)) as { recommendation: string | null };
        return { item_id, event_type, ts: read.ts(0), value: read.value(0), recommendation };
      });
      return { read: rows.length, events };
    };
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
      const read = viewerReader(target, counts, shownItems(impressions));
      const queries = touchesOf(impressions, target.account_id, nowMs);
      let next = queries.next();
      while (!next.done) next = queries.next(read(next.value));
      const steps = countImpressions({ impressions, lists, touches: next.value });
      const outcomes = runSteps(steps, stepsOf(target, counts));
      widenSpan(counts, impressions);
      datasetCounts.write(counts);
      return outcomes;
    },

    forget({ target, userId }: ForgetOutcomesCommand): undefined {
      const hash = userHash(target.account_id, userId);
      forgetItems.run(datasetCounts.read(target).dataset_no, hash);
      forgetVisitor.run(hash, hash, target.dataset_id);
    },

    /** What was shown to one user, and the rows about that user, become the other's. */
    merge({ target, from, into }: MergeUsersCommand): void {
      const [old, hash] = [from, into].map((userId) => userHash(target.account_id, userId));
      move.run(hash, datasetCounts.read(target).dataset_no, old);
      mergeVisitor.run(hash, old, old, target.dataset_id);
    },
  };
}
