import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { close, eachTime, f32, ITEMS, memory, u32 } from '../../test/support/kernel-twins/harness.ts';
import {
  collectCandidates,
  type PlainHistory,
  type PlainScoring,
  recommend,
  scoresOf,
} from '../../test/support/kernel-twins/scoring.ts';
import { buildScoreBlock, type ScoreBlock } from '../scoring/score-block.ts';

const item = fc.integer({ min: 0, max: ITEMS - 1 });
const eighth = (min: number, max: number) => fc.integer({ min, max }).map((n) => n / 8);
const value = fc.oneof(
  { weight: 9, arbitrary: eighth(-4, 16) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38, 1e-38),
  },
);
const row = fc.uniqueArray(fc.tuple(item, value.map(Math.fround)), { maxLength: 9, selector: ([column]) => column });
const lane = fc.record({
  rows: fc.array(row, { minLength: ITEMS, maxLength: ITEMS }).map((rows) => ({
    columns: rows.map((entries) => entries.map(([column]) => column)),
    values: rows.map((entries) => entries.map(([, own]) => own)),
  })),
  query: fc.constantFrom([1, 1, 1, 1, 1, 1, 1, 1], [1, 0.5], [0, 0.75, 0.5]),
});
const model: fc.Arbitrary<PlainScoring> = fc
  .record({
    sparse: fc.array(lane, { maxLength: 5 }),
    popularity: fc.option(fc.array(eighth(0, 8), { minLength: ITEMS, maxLength: ITEMS })),
    allWeights: fc.array(fc.constantFrom(-0.5, 0, 0.25, 1), { minLength: 6, maxLength: 6 }),
    logConstant: fc.constantFrom(0, 0.25),
    seenTakesPart: fc.boolean(),
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
const users = fc.array(history, { maxLength: 7 });

function blockOf(plain: PlainScoring): ScoreBlock {
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

function historiesOf(all: readonly PlainHistory[]) {
  const offsets = [0];
  for (const { items } of all) offsets.push(offsets.at(-1)! + items.length);
  const seen = memory.u8(offsets.at(-1)!);
  seen.set(all.flatMap((own) => own.seen.map(Number)));
  const arrays = [u32(offsets), u32(all.flatMap((own) => own.items)), f32(all.flatMap((own) => own.weights)), seen];
  const excludedOffsets = [0];
  for (const { excluded } of all) excludedOffsets.push(excludedOffsets.at(-1)! + excluded.length);
  return { arrays, excluded: [u32(excludedOffsets), u32(all.flatMap((own) => own.excluded))] };
}

test("the blend's candidates are those of the plain twin", () =>
  eachTime(
    fc.tuple(model, users, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: ITEMS })),
    120,
    async ([plain, all, perLane, slot], on) => {
      const block = blockOf(plain);
      const { lanes, usedLanes } = block;
      const [counts, items] = [memory.u32(all.length), memory.u32(all.length * slot)];
      const shares = memory.f32(all.length * slot * lanes);
      const extra = Math.ceil(block.scratchBytes / 64) * 64;
      const given = historiesOf(all);
      await on.run(
        'collectCandidates',
        [block.pointer, ...given.arrays, ...given.excluded, perLane, usedLanes, slot, counts, items, shares, extra],
        all.length,
        extra + ITEMS * 4 + perLane * 4,
      );
      return all.map((own, user) => {
        const expected = collectCandidates(plain, own, perLane, slot);
        const found = [...items.subarray(user * slot, user * slot + counts[user])];
        assert.deepEqual(found, expected.items);
        const kept = found.map((_, n) => {
          const at = (user * slot + n) * lanes;
          return [...shares.subarray(at, at + usedLanes)];
        });
        kept.forEach((of, n) => {
          close(of, expected.shares[n]);
        });
        return [found, kept];
      });
    },
  ));

test('the best items of many users are those of the plain twin, equal ones in the order of their numbers', () =>
  eachTime(fc.tuple(model, users, fc.integer({ min: 1, max: ITEMS + 2 })), 120, async ([plain, all, limit], on) => {
    // As every caller has it: what takes no part in the maxima is not answered.
    const excludeSeen = !plain.seenTakesPart;
    const block = blockOf(plain);
    const [counts, items] = [memory.u32(all.length), memory.u32(all.length * limit)];
    const scores = memory.f32(all.length * limit);
    const given = historiesOf(all);
    await on.run(
      'recommendUsers',
      [
        ...[block.pointer, 0, 0, ...given.arrays, 0, ...given.excluded, limit, excludeSeen ? 1 : 0],
        ...[counts, items, scores, block.scratchBytes],
      ],
      all.length,
      block.scratchBytes,
    );
    return all.map((own, user) => {
      const z = scoresOf(plain, own);
      const best = recommend(plain, own, limit, excludeSeen);
      const at = user * limit;
      const found = [...items.subarray(at, at + counts[user])];
      const given = [...scores.subarray(at, at + counts[user])];
      // Scores that differ in the last bit may change places: what stands at each rank is compared by its score.
      close(
        given,
        best.map((j) => z[j]),
      );
      close(
        found.map((j) => z[j]),
        given,
      );
      if (z.every((score) => score === z[0])) assert.deepEqual(found, best);
      assert.equal(new Set(found).size, found.length);
      if (excludeSeen) assert.ok(!found.some((j) => own.seen[own.items.indexOf(j)] || own.excluded.includes(j)));
      found.forEach((j, n) => {
        assert.ok(n === 0 || given[n - 1] > given[n] || (given[n - 1] === given[n] && found[n - 1] < j));
      });
      return [found, given];
    });
  }));
