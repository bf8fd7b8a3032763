// Expert E, popularity: how much an item was the object of target events, larger values and newer events counting more.

import type { Expert } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';

/** Newest event of the target type, so that a stray one in the far future does not make all others old: see `referenceTs`. */
const REFERENCE_QUANTILE = 0.999;
const SAMPLE = 100_000;

/** The time "now" is measured from: nearly the newest, robust against a few events far in the future. */
function referenceTs(table: EventTable): number {
  return timesAt(table, [REFERENCE_QUANTILE])[0];
}

/** Time between nearly the oldest and nearly the newest event. */
export function timeSpan(table: EventTable): number {
  const [oldest, newest] = timesAt(table, [1 - REFERENCE_QUANTILE, REFERENCE_QUANTILE]);
  return newest - oldest;
}

/** The times before which these shares of the events lie, by a sample of them; 0 without events. */
function timesAt(table: EventTable, shares: readonly number[]): number[] {
  const step = Math.max(1, Math.floor(table.length / SAMPLE));
  const sample = new Float64Array(Math.ceil(table.length / step));
  for (let n = 0; n < sample.length; n++) sample[n] = table.ts[n * step];
  sample.sort();
  return shares.map((share) => sample[Math.min(sample.length - 1, Math.floor(sample.length * share))] ?? 0);
}

/**
 * For each half-life, one value an item: the users with a target event, each counting log2(1 + Σ value). `hidden` events do not count.
 * A half-life of null: age does not matter. All of them by one pass over the events, which costs most.
 */
export function popularityValues(
  table: EventTable,
  halfLivesMs: readonly (number | null)[],
  hidden: Uint8Array | null,
): Float32Array[] {
  const values = halfLivesMs.map(() => new Float32Array(table.itemCount));
  const now = referenceTs(table);
  // Read once: this loop visits every event.
  const { userCount, userOffsets, item: itemOf, type, ts, value, targetType } = table;
  const mark = new Int32Array(table.itemCount).fill(-1);
  const sums = new Float64Array(table.itemCount);
  const newest = new Float64Array(table.itemCount);
  const items = new Uint32Array(table.itemCount);
  for (let user = 0; user < userCount; user++) {
    let count = 0;
    for (let event = userOffsets[user + 1] - 1; event >= userOffsets[user]; event--) {
      if ((hidden !== null && hidden[event] === 1) || type[event] !== targetType) continue;
      const item = itemOf[event];
      if (mark[item] !== user) {
        mark[item] = user;
        sums[item] = 0;
        newest[item] = ts[event];
        items[count++] = item;
      }
      sums[item] += value[event];
    }
    for (let n = 0; n < count; n++) {
      const item = items[n];
      // Most have one plain event, which counts 1: no logarithm is needed for those.
      const counted = sums[item] === 1 ? 1 : Math.log2(1 + sums[item]);
      const age = Math.max(0, now - newest[item]);
      for (let k = 0; k < values.length; k++) {
        const halfLifeMs = halfLivesMs[k];
        values[k][item] += halfLifeMs === null ? counted : counted * 2 ** (-age / halfLifeMs);
      }
    }
  }
  return values;
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
