// From one or several items to what goes with them: the sum of their rows, and popularity as far as the rows are not sure, so
// that an item with few visits leads to what everybody takes rather than to chance.
import type { SparseRows } from '../artifact/g1-model.ts';
import type { Relation } from '../domain/relation.ts';

/** How much popularity counts where nothing at all is known of an item. Beside a rival, popularity is no argument. */
const POPULARITY_WEIGHT: Readonly<Record<Relation, number>> = { similar: 0.001, together: 1, next: 1 };

/** A row and how much it counts; the weights of all rows of a question sum to 1 at most. */
export interface WeighedRow {
  readonly row: number;
  readonly weight: number;
}

export interface RelatedScores {
  /** what the rows say, by item */
  readonly scores: Map<number, number>;
  /** what the popularity of an item, from 0 to 1, adds to every score */
  readonly popularityWeight: number;
}

export function relatedScores(relation: Relation, rows: SparseRows, weighed: readonly WeighedRow[]): RelatedScores {
  const { offsets, columns, values } = rows;
  const scores = new Map<number, number>();
  let sure = 0;
  for (const { row, weight } of weighed) {
    // The strongest entry of a row comes first, and is as strong as the row is sure.
    if (offsets[row + 1] > offsets[row]) sure += weight * values[offsets[row]];
    for (let at = offsets[row]; at < offsets[row + 1]; at++) {
      scores.set(columns[at], (scores.get(columns[at]) ?? 0) + weight * values[at]);
    }
  }
  return { scores, popularityWeight: POPULARITY_WEIGHT[relation] * Math.max(0.001, 1 - sure) };
}

export interface Popularity {
  /** from 0 to 1 */
  readonly of: (item: number) => number;
  /** the most popular first */
  readonly order: Iterable<number>;
}

/** Best first; of equal scores the smaller item. */
export function bestRelated(
  { scores, popularityWeight }: RelatedScores,
  popularity: Popularity,
  limit: number,
  isAllowed: (item: number) => boolean,
): { item: number; score: number }[] {
  const found: { item: number; score: number }[] = [];
  const scored = (item: number, score: number) => ({ item, score: score + popularityWeight * popularity.of(item) });
  for (const [item, score] of scores) if (isAllowed(item)) found.push(scored(item, score));
  let others = 0;
  for (const item of popularity.order) {
    if (others === limit) break;
    if (scores.has(item) || !isAllowed(item)) continue;
    found.push(scored(item, 0));
    others++;
  }
  return found.sort((a, b) => b.score - a.score || a.item - b.item).slice(0, limit);
}
