// From one or several items to what goes with them: the mean of their rows, and popularity as far as the rows are not sure, so
// that an item with few visits leads to what everybody takes rather than to chance.
import type { SparseRows } from '../artifact/g1-model.ts';

/** How much popularity counts where nothing at all is known of an item. Beside a rival, popularity is no argument. */
const POPULARITY_WEIGHT = { similar: 0.001, together: 1, next: 1 } as const;
export type PopularityWeight = keyof typeof POPULARITY_WEIGHT;

export interface RelatedScores {
  /** what the rows say, by item; not the items asked for */
  readonly scores: ReadonlyMap<number, number>;
  /** what the popularity of an item, from 0 to 1, adds to every score */
  readonly popularityWeight: number;
}

/** `items`: rows; one that has none (−1: not known) leads to popularity alone. */
export function relatedScores(
  relation: PopularityWeight,
  { offsets, columns, values, rowCount }: SparseRows,
  items: readonly number[],
): RelatedScores {
  const scores = new Map<number, number>();
  let sure = 0;
  for (const item of items) {
    if (item < 0 || item >= rowCount) continue;
    // The strongest entry of a row is as strong as the row is sure, and stands first.
    if (offsets[item + 1] > offsets[item]) sure += values[offsets[item]] / items.length;
    for (let at = offsets[item]; at < offsets[item + 1]; at++) {
      scores.set(columns[at], (scores.get(columns[at]) ?? 0) + values[at] / items.length);
    }
  }
  for (const item of items) scores.delete(item);
  return { scores, popularityWeight: POPULARITY_WEIGHT[relation] * Math.max(0.001, 1 - sure) };
}

/** Best first. `byPopularity`: items with their popularity from 0 to 1, the most popular first. */
export function bestRelated(
  { scores, popularityWeight }: RelatedScores,
  byPopularity: Iterable<{ readonly item: number; readonly popularity: number }>,
  limit: number,
  isAllowed: (item: number) => boolean,
  popularityOf: (item: number) => number,
): { item: number; score: number }[] {
  const found: { item: number; score: number }[] = [];
  for (const [item, score] of scores) {
    if (isAllowed(item)) found.push({ item, score: score + popularityWeight * popularityOf(item) });
  }
  let others = 0;
  for (const { item, popularity } of byPopularity) {
    if (others === limit) break;
    if (scores.has(item) || !isAllowed(item)) continue;
    found.push({ item, score: popularityWeight * popularity });
    others++;
  }
  return found.sort((a, b) => b.score - a.score || a.item - b.item).slice(0, limit);
}
