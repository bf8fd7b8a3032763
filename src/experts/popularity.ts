// Expert E, popularity: how many users had a target event with an item, newer ones and larger values counting more. Who has it many
// times counts once: what a few people buy again and again says little of who else will want it.

import type { Expert } from '../artifact/g1-model.ts';
import type { EventPart, HiddenOf, TrainingEvents } from '../dataset/training-events.ts';

/** Events that popularity is counted over. */
export interface CountedEvents {
  readonly events: TrainingEvents;
  /** time from which the age of events is measured */
  readonly nowTs: number;
  /** a user with this value counts 1 */
  readonly ordinaryValue: number;
  /** events that do not count; null: all count */
  readonly hiddenOf: HiddenOf | null;
}

/** A user counts 1, and at most this much more or less, by the mean of the user's values. */
const VALUE_SHARE = 0.25;

/**
 * For each half-life, one value an item: the users with a target event, by the age of their newest one. A half-life
 * of null: age does not matter. All of them by one pass over the events, which costs most.
 */
export async function popularityValues(
  { events, hiddenOf, ...about }: CountedEvents,
  halfLivesMs: readonly (number | null)[],
): Promise<Float32Array[]> {
  const counter = new PopularityCounter(events.itemCount, about, halfLivesMs);
  for await (const part of events.parts()) counter.add(part, hiddenOf?.(part) ?? null);
  return counter.values;
}

class PopularityCounter {
  readonly values: Float32Array[];
  readonly #nowTs: number;
  readonly #ordinaryValue: number;
  readonly #halfLivesMs: readonly (number | null)[];
  readonly #mark: Int32Array;
  readonly #sums: Float64Array;
  readonly #events: Uint32Array;
  readonly #newest: Float64Array;
  readonly #items: Uint32Array;

  constructor(
    itemCount: number,
    { nowTs, ordinaryValue }: Pick<CountedEvents, 'nowTs' | 'ordinaryValue'>,
    halfLivesMs: readonly (number | null)[],
  ) {
    this.values = halfLivesMs.map(() => new Float32Array(itemCount));
    this.#nowTs = nowTs;
    this.#ordinaryValue = ordinaryValue;
    this.#halfLivesMs = halfLivesMs;
    this.#mark = new Int32Array(itemCount).fill(-1);
    this.#sums = new Float64Array(itemCount);
    this.#events = new Uint32Array(itemCount);
    this.#newest = new Float64Array(itemCount);
    this.#items = new Uint32Array(itemCount);
  }

  add(part: EventPart, hidden: Uint8Array | null): void {
    // Read once: this loop visits every event.
    const { userCount, userOffsets, firstUser, item: itemOf, type, ts, value, targetType } = part;
    const { values } = this;
    const [halfLivesMs, nowTs, ordinary] = [this.#halfLivesMs, this.#nowTs, this.#ordinaryValue];
    const [mark, sums, events, newest, items] = [this.#mark, this.#sums, this.#events, this.#newest, this.#items];
    for (let user = 0; user < userCount; user++) {
      let count = 0;
      for (let event = userOffsets[user + 1] - 1; event >= userOffsets[user]; event--) {
        if ((hidden !== null && hidden[event] === 1) || type[event] !== targetType) continue;
        const item = itemOf[event];
        if (mark[item] !== firstUser + user) {
          mark[item] = firstUser + user;
          sums[item] = 0;
          events[item] = 0;
          newest[item] = ts[event];
          items[count++] = item;
        }
        sums[item] += value[event];
        events[item]++;
      }
      for (let n = 0; n < count; n++) {
        const item = items[n];
        const mean = sums[item] / events[item];
        const counted = 1 + (VALUE_SHARE * (mean - ordinary)) / (mean + ordinary);
        const age = Math.max(0, nowTs - newest[item]);
        for (let k = 0; k < values.length; k++) {
          const halfLifeMs = halfLivesMs[k];
          values[k][item] += halfLifeMs === null ? counted : counted * 2 ** (-age / halfLifeMs);
        }
      }
    }
  }
}

/** log of each warm item's share of popularity; an item without any gets half of the smallest share. */
export function logPopularityOf(experts: readonly Expert[], warmItemCount: number): Float32Array {
  const out = new Float32Array(warmItemCount);
  const expert = experts.find((expert) => expert.kind === 'popularity');
  let total = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (let warm = 0; warm < out.length; warm++) {
    const value = expert?.values[warm] ?? 0;
    total += value;
    if (value > 0 && value < smallest) smallest = value;
  }
  if (!(total > 0)) return out.fill(-Math.log(Math.max(1, out.length)));
  for (let warm = 0; warm < out.length; warm++) out[warm] = Math.log((expert!.values[warm] || smallest / 2) / total);
  return out;
}
