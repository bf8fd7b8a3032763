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

/** What scores are multiplied with before they are compared. */
export interface ScoreFactors {
  readonly of: (item: number) => number;
  /** no item has a larger one */
  readonly most: number;
}

export interface RelatedSearch {
  readonly limit: number;
  readonly isAllowed: (item: number) => boolean;
  /** left out: 1 for every item */
  readonly factors?: ScoreFactors;
}

interface FactoredItem {
  readonly item: number;
  /** without its factor */
  readonly score: number;
  readonly factor: number;
}

/** Best first by score × factor; of equal ones the smaller item. */
export function bestRelated(
  { scores, popularityWeight }: RelatedScores,
  popularity: Popularity,
  { limit, isAllowed, factors }: RelatedSearch,
): FactoredItem[] {
  if (limit <= 0) return [];
  const byScore = (a: FactoredItem, b: FactoredItem) => b.score * b.factor - a.score * a.factor || a.item - b.item;
  const scored = (item: number, score: number): FactoredItem => ({
    item,
    score: score + popularityWeight * popularity.of(item),
    factor: factors?.of(item) ?? 1,
  });
  const found: FactoredItem[] = [];
  for (const [item, score] of scores) if (isAllowed(item)) found.push(scored(item, score));
  // The rest comes by falling popularity: it ends where even the largest factor leads no further item among the best.
  const most = factors?.most ?? 1;
  let others: FactoredItem[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const item of popularity.order) {
    if (others.length >= limit && popularityWeight * popularity.of(item) * most <= least) break;
    if (scores.has(item) || !isAllowed(item)) continue;
    others.push(scored(item, 0));
    if (others.length === limit || others.length === 2 * limit) {
      others = others.sort(byScore).slice(0, limit);
      least = others[limit - 1].score * others[limit - 1].factor;
    }
  }
  return [...found, ...others].sort(byScore).slice(0, limit);
}
