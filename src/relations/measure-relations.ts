// Measures how well a list that starts from one item finds the wanted items: recall and NDCG at 10, as for users. Compares with
// popularity alone and with the plain cosine of users.
import type { SparseRows } from '../artifact/g1-model.ts';
import { mean } from '../domain/compare.ts';
import type { Relation, RelationFigures } from '../domain/relation.ts';
import { bestRelated, type Popularity, relatedScores } from './related-scores.ts';
import type { RelationQuestion } from './relation-questions.ts';
import { type VisitMatrix, visitsOfItem } from './visit-matrix.ts';

const CUTOFF = 10;
/** Users of an item that its cosine is made from. */
const MAX_COSINE_USERS = 300;

/** Returns the best items first, without the item of the question. */
export type Ranking = (question: RelationQuestion, n: number) => ArrayLike<number>;

export function figuresOf(ranking: Ranking, questions: readonly RelationQuestion[]): RelationFigures {
  const { recalls, ndcgs } = figuresOfEach(ranking, questions);
  return { recall: mean(recalls), ndcg: mean(ndcgs) };
}

/** Returns the figures of each question. */
export function figuresOfEach(
  ranking: Ranking,
  questions: readonly RelationQuestion[],
): { recalls: Float64Array; ndcgs: Float64Array } {
  const recalls = new Float64Array(questions.length);
  const ndcgs = new Float64Array(questions.length);
  for (const [n, question] of questions.entries()) {
    const { wanted } = question;
    const list = ranking(question, n);
    let found = 0;
    let gain = 0;
    let ideal = 0;
    for (let place = 0; place < CUTOFF; place++) {
      if (place < wanted.length) ideal += 1 / Math.log2(place + 2);
      if (place >= list.length || !wanted.includes(list[place])) continue;
      found++;
      gain += 1 / Math.log2(place + 2);
    }
    recalls[n] = found / wanted.length;
    ndcgs[n] = gain / ideal;
  }
  return { recalls, ndcgs };
}

/** The items of a relation's questions: the rows that are needed to judge it. */
export function askedItems(questions: readonly RelationQuestion[]): Uint32Array {
  return Uint32Array.from(questions, ({ item }) => item);
}

/** `rows`: row n is that of question n. */
export function byRows(relation: Relation, rows: SparseRows, popularity: Popularity): Ranking {
  return ({ item }, n) => {
    const related = relatedScores(relation, rows, [{ row: n, weight: 1 }]);
    return bestRelated(related, popularity, { limit: CUTOFF, isAllowed: (other) => other !== item }).map(
      ({ item: other }) => other,
    );
  };
}

export function byPopularity({ order }: Popularity): Ranking {
  const best = [...order].slice(0, CUTOFF + 1);
  return ({ item }) => best.filter((other) => other !== item).slice(0, CUTOFF);
}

/** Popularity by the number of visits. */
export function popularityIn(visits: VisitMatrix): Popularity {
  const counts = Uint32Array.from({ length: visits.itemCount }, (_, item) => visitsOfItem(visits, item));
  const most = Math.max(
    1,
    counts.reduce((largest, count) => Math.max(largest, count), 0),
  );
  const order = Uint32Array.from(counts.keys()).sort((a, b) => counts[b] - counts[a] || a - b);
  return { of: (item) => counts[item] / most, order };
}

/** `users`: visits that are users. */
export function byCosine(users: VisitMatrix): Ranking {
  const { itemOffsets, entries, entryVisits, offsets, items } = users;
  return ({ item }) => {
    const sums = new Map<number, number>();
    const end = Math.min(itemOffsets[item + 1], itemOffsets[item] + MAX_COSINE_USERS);
    for (let at = itemOffsets[item]; at < end; at++) {
      const user = entryVisits[entries[at]];
      for (let place = offsets[user]; place < offsets[user + 1]; place++) {
        sums.set(items[place], (sums.get(items[place]) ?? 0) + 1);
      }
    }
    sums.delete(item);
    return [...sums]
      .map(([other, count]) => ({ other, cosine: count / Math.sqrt(visitsOfItem(users, other)) }))
      .sort((a, b) => b.cosine - a.cosine || a.other - b.other)
      .slice(0, CUTOFF)
      .map(({ other }) => other);
  };
}
