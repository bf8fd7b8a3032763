// Served lists, impressions and what is forgotten of users, under the dataset's lock; see store/outcomes/outcome-rules.ts.
import { userHash } from '../../base/id-hash.ts';
import { MAX_LIST_AGE_MS } from '../../domain/recommendation.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import type { Impression, ImpressionOutcome, ServedBatch } from '../outcome-store.ts';
import {
  shownItems,
  touchesOf,
  type ViewerEvent,
  type ViewerEvents,
  type ViewerQuery,
} from '../outcomes/impression-touches.ts';
import { countImpressions, countServed, listsOf, REMOVED_AT_ONCE, widenSpan } from '../outcomes/outcome-rules.ts';
import { runStepsAsync } from '../outcomes/outcome-tables.ts';
import { shardOf } from '../shard-of.ts';
import { FORGET_BATCHES_SQL } from '../sql/forget-batches.ts';
import { FORGET_VISITOR_SQL, MERGE_VISITOR_SQL } from '../sql/visitor-rows.ts';
import { TWO_32 } from './event-partitions.ts';
import { outcomeSteps } from './outcome-steps.ts';
import { numbered } from './placeholders.ts';
import type { WriteContext } from './write-context.ts';
import { oneByOne } from './writer.ts';

export const addServed = oneByOne(async (context, batch: ServedBatch): Promise<void> => {
  const { client, counts, nowMs } = context;
  const { rowCount } = await client.query(
    'INSERT INTO outcome_served (batch_id, dataset_no, created_ts) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [batch.batchId, counts.dataset_no, nowMs],
  );
  if (rowCount === 0) return;
  await runStepsAsync(countServed(batch), outcomeSteps(context));
  const oldest = nowMs - MAX_LIST_AGE_MS;
  await client.query(numbered(FORGET_BATCHES_SQL), [counts.dataset_no, oldest]);
  await client.query(
    `DELETE FROM outcome_item WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM outcome_item WHERE dataset_no = $1 AND created_ms < $2 LIMIT ${REMOVED_AT_ONCE}))`,
    [counts.dataset_no, oldest],
  );
});

export const addImpressions = oneByOne(
  async (context, impressions: readonly Impression[]): Promise<ImpressionOutcome[]> => {
    const { nowMs, target } = context;
    const lists = listsOf(impressions, nowMs);
    const items = shownItems(impressions);
    const queries = touchesOf(impressions, target.account_id, nowMs);
    let next = queries.next();
    while (!next.done) next = queries.next(await viewerEvents(context, next.value, items));
    const steps = countImpressions({ impressions, lists, touches: next.value });
    const outcomes = await runStepsAsync(steps, outcomeSteps(context));
    widenSpan(context.counts, impressions);
    return outcomes;
  },
);

async function viewerEvents(
  { client, counts, target }: WriteContext,
  { userId, fromTs, toTs, limit }: ViewerQuery,
  items: ReadonlySet<string>,
): Promise<ViewerEvents> {
  const { item, type, user } = INTERNED_KIND_NO;
  const { rows } = await client.query<ViewerEvent>(
    `SELECT i.id AS item_id, t.id AS event_type, e.ts, e.value, e.recommendation FROM (
       SELECT * FROM event WHERE dataset_no = $1 AND place = $2::bigint +
         (SELECT no FROM interned WHERE dataset_no = $1 AND kind = ${user} AND id = $3)
         AND ts >= $4 AND ts <= $5 ORDER BY ts, seq LIMIT $6) e
     JOIN interned i ON i.dataset_no = $1 AND i.kind = ${item} AND i.no = e.item_no
     JOIN interned t ON t.dataset_no = $1 AND t.kind = ${type} AND t.no = e.type_no`,
    [counts.dataset_no, shardOf(userId, target.num_shards) * TWO_32, userId, fromTs, toTs, limit],
  );
  return { read: rows.length, events: rows.filter(({ item_id }) => items.has(item_id)) };
}

export const forgetOutcomes = oneByOne(async ({ client, counts, target }, userId: string): Promise<void> => {
  const hash = userHash(target.account_id, userId);
  await client.query('DELETE FROM outcome_item WHERE dataset_no = $1 AND user_hash = $2 AND shown_ts IS NOT NULL', [
    counts.dataset_no,
    hash,
  ]);
  await client.query(numbered(FORGET_VISITOR_SQL), [hash, hash, target.dataset_id]);
});

/** What was shown to one user, and the rows about that user, become the other's. */
export async function mergeOutcomes(
  { client, counts, target }: WriteContext,
  { from, into }: { from: string; into: string },
): Promise<void> {
  const [old, hash] = [from, into].map((userId) => userHash(target.account_id, userId));
  await client.query(
    'UPDATE outcome_item SET user_hash = $3 WHERE dataset_no = $1 AND user_hash = $2 AND shown_ts IS NOT NULL',
    [counts.dataset_no, old, hash],
  );
  await client.query(numbered(MERGE_VISITOR_SQL), [hash, old, old, target.dataset_id]);
}
