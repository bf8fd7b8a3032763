// Splits a score into terms. Each expert's part is divided among the history items that lead to the item, in proportion to what
// they add to the expert's score. The part that does not depend on the history is popularity. The terms add up to the score.
import type { ScoringHistory } from '../history/user-signal.ts';
import type { SparseLane } from './score-block.ts';
import type { ItemParts } from './score-parts.ts';

/** Limits memory: a number per item, expert and history item is held at a time. */
const ITEMS_AT_ONCE = 64;

export interface ExplainedScore {
  readonly terms: Float32Array;
  /** the part that no history item accounts for */
  readonly rest: number;
  readonly z: number;
}

/** What one expert adds to an item's score because of the history. */
interface Contributions {
  /** per history item, only positive ones */
  readonly each: Float32Array;
  readonly sum: number;
}

/**
 * Explains each shown item, in their order. The rows of the history are walked once for many items instead of once for
 * each.
 */
export function* explainScores(
  sparse: readonly SparseLane[],
  history: ScoringHistory,
  shown: readonly ItemParts[],
): Generator<ExplainedScore> {
  const places = new Uint16Array(Math.max(0, ...sparse.map(({ starts }) => starts.length)));
  for (let from = 0; from < shown.length; from += ITEMS_AT_ONCE) {
    const some = shown.slice(from, from + ITEMS_AT_ONCE);
    for (const [n, { item }] of some.entries()) places[item] = n + 1;
    const found = sparse.map((rows) => contributionsTo(rows, history, places, some.length));
    for (const one of some) {
      const ofItem = found.map((ofLane) => ofLane[places[one.item] - 1]);
      yield explainScore(history, one, ofItem);
    }
    for (const { item } of some) places[item] = 0;
  }
}

function explainScore(
  { items, length }: ScoringHistory,
  shown: ItemParts,
  contributions: readonly Contributions[],
): ExplainedScore {
  const terms = new Float32Array(length);
  let { rest } = shown;
  let z = rest + shown.own;
  if (shown.own !== 0) terms[items.indexOf(shown.item)] = shown.own;
  for (const [lane, { each, sum }] of contributions.entries()) {
    const part = shown.ofExperts[lane];
    if (part === 0) continue;
    z += part;
    if (sum === 0) rest += part;
    else for (let l = 0; l < length; l++) terms[l] += (part * each[l]) / sum;
  }
  return { terms, rest, z };
}

/** The contributions to each item that has a place in `places` (from 1; 0: not shown). */
function contributionsTo(
  { starts, ends, columns, values, query }: SparseLane,
  history: ScoringHistory,
  places: Uint16Array,
  count: number,
): Contributions[] {
  const all = Array.from({ length: count }, () => ({ each: new Float32Array(history.length), sum: 0 }));
  for (let l = 0; l < Math.min(history.length, query.length); l++) {
    for (let at = starts[history.items[l]]; at < ends[history.items[l]]; at++) {
      const place = places[columns[at]];
      if (place === 0) continue;
      const value = query[l] * history.weights[l] * values[at];
      if (!(value > 0)) continue;
      all[place - 1].each[l] += value;
      all[place - 1].sum += value;
    }
  }
  return all;
}
