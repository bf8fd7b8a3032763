// Updates the counts of the lists that led to the events of a write, in the same transaction; see
// store/outcomes/outcome-rules.ts. Without such lists no query is made.
import { itemHash, userHash } from '../../base/id-hash.ts';
import type { Recommendation } from '../../domain/recommendation.ts';
import { INTERNED_KIND_NO } from '../event-store.ts';
import { countEvents, countedList, type EventChange, mayBeAssisted } from '../outcomes/outcome-rules.ts';
import { type AsyncStepRunner, runStepsAsync } from '../outcomes/outcome-tables.ts';
import { outcomeSteps } from './outcome-steps.ts';
import type { WriteContext } from './write-context.ts';

interface TouchingEvent {
  user_id: string;
  item_id: string;
  event_type: string;
  ts: number;
  value: number;
  recommendation: string | null;
}

/** An event that is gone, with its numbers. */
interface GoneEvent {
  user_no: number;
  item: number;
  type: number;
  ts: number;
  value: number;
  recommendation: string | null;
}

export class TouchedLists {
  readonly #context: WriteContext;
  readonly #nowMs: number;
  readonly #steps: AsyncStepRunner;
  readonly #changes: EventChange[] = [];
  /** lists of one write by id, because several events carry the id of one list */
  readonly #lists = new Map<string, Recommendation | null>();

  constructor(context: WriteContext, nowMs: number) {
    this.#context = context;
    this.#nowMs = nowMs;
    this.#steps = outcomeSteps(context);
  }

  /** Ids of lists whose project does not use this dataset. */
  async foreignAmong(recommendationIds: readonly string[]): Promise<Set<string>> {
    const lists = new Map<string, Recommendation>();
    for (const id of recommendationIds) {
      const list = this.#listOf(id);
      if (list !== null) lists.set(id, list);
    }
    if (lists.size === 0) return new Set();
    const series = await this.#steps.series([...lists.values()]);
    return new Set([...lists.keys()].filter((_, at) => series[at] === null));
  }

  stored(event: TouchingEvent): void {
    if (event.recommendation || mayBeAssisted(this.#context.counts, event.ts)) this.#add(1, event);
  }

  async gone(events: readonly GoneEvent[]): Promise<void> {
    const { client, counts } = this.#context;
    const touching = events.filter(({ recommendation, ts }) => recommendation !== null || mayBeAssisted(counts, ts));
    if (touching.length === 0) return;
    const { rows } = await client.query<{ kind: number; no: number; id: string }>(
      `SELECT i.kind, i.no, i.id FROM unnest($2::smallint[], $3::integer[]) AS k (kind, no)
       JOIN interned i ON i.dataset_no = $1 AND i.kind = k.kind AND i.no = k.no`,
      [
        counts.dataset_no,
        touching.flatMap(() => [INTERNED_KIND_NO.user, INTERNED_KIND_NO.item, INTERNED_KIND_NO.type]),
        touching.flatMap(({ user_no, item, type }) => [user_no, item, type]),
      ],
    );
    const ids = new Map(rows.map(({ kind, no, id }) => [`${kind}:${no}`, id]));
    for (const { user_no, item, type, ...event } of touching) {
      this.#add(-1, {
        ...event,
        user_id: ids.get(`${INTERNED_KIND_NO.user}:${user_no}`)!,
        item_id: ids.get(`${INTERNED_KIND_NO.item}:${item}`)!,
        event_type: ids.get(`${INTERNED_KIND_NO.type}:${type}`)!,
      });
    }
  }

  /** Updates the counters. Call it once, at the end. */
  async count(): Promise<void> {
    if (this.#changes.length === 0) return;
    await runStepsAsync(countEvents(this.#changes, this.#context.counts), this.#steps);
  }

  #listOf(recommendationId: string | null): Recommendation | null {
    if (!recommendationId) return null;
    let list = this.#lists.get(recommendationId);
    if (list === undefined) {
      list = countedList(recommendationId, this.#nowMs);
      this.#lists.set(recommendationId, list);
    }
    return list;
  }

  #add(change: 1 | -1, event: TouchingEvent): void {
    const { ts, event_type, value, recommendation } = event;
    const { counts, target } = this.#context;
    this.#changes.push({
      change,
      ts,
      event_type,
      value,
      list: this.#listOf(recommendation),
      userHash: mayBeAssisted(counts, ts) ? userHash(target.account_id, event.user_id) : 0,
      itemHash: itemHash(event.item_id),
    });
  }
}
