// Made models and users for the tests of scoring kernels, and both as kernels read them.

import { buildSearchBlock, buildUsersBlock } from '../../../src/scoring/question-block.ts';
import { buildScoreBlock, type ScoreBlock } from '../../../src/scoring/score-block.ts';
import { fc } from '../fast-check.ts';
import { f32, ITEMS, memory, u32 } from './harness.ts';
import type { PlainHistory, PlainScoring } from './scoring.ts';

export type PlainUser = PlainHistory;

const item = fc.integer({ min: 0, max: ITEMS - 1 });
const eighth = (min: number, max: number) => fc.integer({ min, max }).map((n) => n / 8);
const value = fc.oneof(
  { weight: 9, arbitrary: eighth(-4, 16) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38, 1e-38),
  },
);
/** An expert whose entries have such values. */
export const lane = (of: fc.Arbitrary<number>) =>
  fc.record({
    rows: fc
      .array(fc.uniqueArray(fc.tuple(item, of.map(Math.fround)), { maxLength: 9, selector: ([column]) => column }), {
        minLength: ITEMS,
        maxLength: ITEMS,
      })
      .map((rows) => ({
        columns: rows.map((entries) => entries.map(([column]) => column)),
        values: rows.map((entries) => entries.map(([, own]) => own)),
      })),
    query: fc.constantFrom([1, 1, 1, 1, 1, 1, 1, 1], [1, 0.5], [0, 0.75, 0.5]),
  });
export const model: fc.Arbitrary<PlainScoring> = fc
  .record({
    sparse: fc.array(lane(value), { maxLength: 5 }),
    popularity: fc.option(fc.array(eighth(0, 8), { minLength: ITEMS, maxLength: ITEMS })),
    allWeights: fc.array(fc.constantFrom(-0.5, 0, 0.25, 1), { minLength: 6, maxLength: 6 }),
    logConstant: fc.constantFrom(0, 0.25),
  })
  .map(({ allWeights, ...plain }) => ({
    ...plain,
    itemCount: ITEMS,
    weights: allWeights.slice(0, plain.sparse.length + (plain.popularity ? 1 : 0)),
  }));
const history: fc.Arbitrary<PlainHistory> = fc
  .uniqueArray(fc.tuple(item, fc.constantFrom(1, 2, 0.5, 0), fc.boolean()), { maxLength: 10, selector: ([own]) => own })
  .map((entries) => ({
    // The last ones are no part of the history and must not be recommended.
    items: entries.slice(0, 8).map(([own]) => own),
    weights: entries.slice(0, 8).map(([, weight]) => weight),
    seen: entries.slice(0, 8).map(([, , seen]) => seen),
    excluded: entries.slice(8).map(([own]) => own),
  }));
export const users = fc.array(history, { maxLength: 7 });

export function blockOf(plain: PlainScoring): ScoreBlock {
  const sparse = plain.sparse.map(({ rows, query }) => {
    const ends = rows.columns.map((_, n) => rows.columns.slice(0, n + 1).flat().length);
    return {
      starts: u32([0, ...ends.slice(0, -1)]),
      ends: u32(ends),
      columns: u32(rows.columns.flat()),
      values: f32(rows.values.flat()),
      query: f32(query),
    };
  });
  return buildScoreBlock(memory, { ...plain, sparse, popularity: plain.popularity && f32(plain.popularity) });
}

/** Pointer to a users block. */
export function usersOf(all: readonly PlainHistory[]): number {
  const offsetsOf = (lengths: number[]) => {
    const offsets = [0];
    for (const length of lengths) offsets.push(offsets.at(-1)! + length);
    return offsets;
  };
  const marks = all.flatMap((history) => history.seen.map(Number));
  const seen = memory.u8(marks.length);
  seen.set(marks);
  return buildUsersBlock(memory, {
    offsets: u32(offsetsOf(all.map(({ items }) => items.length))),
    items: u32(all.flatMap(({ items }) => items)),
    weights: f32(all.flatMap(({ weights }) => weights)),
    seen,
    own: all.some(({ own }) => own) ? f32(all.flatMap(({ own }) => own!)) : null,
    excludedOffsets: u32(offsetsOf(all.map(({ excluded }) => excluded.length))),
    excluded: u32(all.flatMap(({ excluded }) => excluded)),
  });
}

/** Pointer to a search block over all items. */
export function searchOf({ order }: ScoreBlock, limit: number, candidates = 0): number {
  return buildSearchBlock(memory, { limit, candidates, allow: null, order });
}
