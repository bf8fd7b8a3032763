// Scores the items related to one or several items: the sum of their rows, plus popularity as far as the rows are uncertain, so
// that an item with few visits leads to popular items rather than to random ones.
import type { SparseRows } from '../artifact/g1-model.ts';
import { TopItems } from '../base/top-items.ts';
import type { Relation } from '../domain/relation.ts';

/**
 * Weight of popularity if nothing is known of an item. It is small for `similar`, because popularity does not make items
 * alternatives.
 */
const POPULARITY_WEIGHT: Readonly<Record<Relation, number>> = { similar: 0.001, together: 1, next: 1 };

/** A row and how much it counts; the weights of all rows of a question sum to 1 at most. */
export interface WeighedRow {
  readonly row: number;
  readonly weight: number;
}

export interface RelatedScores {
  /** scores from the rows, by item */
  readonly scores: Map<number, number>;
  /** what the popularity of an item, from 0 to 1, is multiplied by before it is added */
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
  /** popularity of an item, from 0 to 1 */
  readonly of: (item: number) => number;
  /** all items, the most popular first */
  readonly order: Iterable<number>;
}

/** Factors that multiply scores before they are compared. */
export interface ScoreFactors {
  readonly of: (item: number) => number;
  /** the largest factor of any item */
  readonly most: number;
}

export interface RelatedSearch {
  readonly limit: number;
  readonly isAllowed: (item: number) => boolean;
  /** if left out, 1 for every item */
  readonly factors?: ScoreFactors;
}

interface FactoredItem {
  readonly item: number;
  /** the score before the factor */
  readonly score: number;
  readonly factor: number;
}

/** Belongs to one thread, and to one search at a time. */
const best = new TopItems();

/** Returns the best by score × factor. Equal ones are ordered by item number. */
export function bestRelated(
  { scores, popularityWeight }: RelatedScores,
  popularity: Popularity,
  { limit, isAllowed, factors }: RelatedSearch,
): FactoredItem[] {
  if (limit <= 0) return [];
  const factorOf = (item: number) => factors?.of(item) ?? 1;
  const scoreOf = (item: number) => (scores.get(item) ?? 0) + popularityWeight * popularity.of(item);
  const consider = (item: number) => {
    const value = scoreOf(item) * factorOf(item);
    if (best.admits(value, item) && isAllowed(item)) best.offer(value, item);
  };
  best.start(limit);
  for (const item of scores.keys()) consider(item);
  // The rest comes by falling popularity: it ends where even the largest factor leads no further item among the best.
  const most = factors?.most ?? 1;
  for (const item of popularity.order) {
    if (popularityWeight * popularity.of(item) * most < best.threshold) break;
    if (!scores.has(item)) consider(item);
  }
  const found: FactoredItem[] = [];
  best.drain((_, item) => found.push({ item, score: scoreOf(item), factor: factorOf(item) }));
  return found;
}
