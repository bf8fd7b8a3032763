import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { close, eachTime, ITEMS, memory } from '../../test/support/kernel-twins/harness.ts';
import { collectCandidates, recommend, scoresOf } from '../../test/support/kernel-twins/scoring.ts';
import { blockOf, model, searchOf, users, usersOf } from '../../test/support/kernel-twins/scoring-arbitraries.ts';

test("the blend's candidates are those of the plain twin", () =>
  eachTime(
    fc.tuple(model, users, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: ITEMS })),
    120,
    async ([plain, all, perLane, slot], on) => {
      const block = blockOf(plain);
      const { lanes, usedLanes } = block;
      const [counts, items] = [memory.u32(all.length), memory.u32(all.length * slot)];
      const shares = memory.f32(all.length * slot * lanes);
      await on.run(
        'collectCandidates',
        [block.pointer, usersOf(all), perLane, usedLanes, slot, counts, items, shares, block.scratchBytes],
        { rows: all.length, scratchBytes: block.scratchBytes + ITEMS * 4 + perLane * 4 },
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
    const block = blockOf(plain);
    const [counts, items] = [memory.u32(all.length), memory.u32(all.length * limit)];
    const scores = memory.f32(all.length * limit);
    await on.run(
      'recommendUsers',
      [block.pointer, 0, usersOf(all), searchOf(block, limit), counts, items, scores, block.scratchBytes],
      { rows: all.length, scratchBytes: block.scratchBytes },
    );
    return all.map((own, user) => {
      const z = scoresOf(plain, own);
      const best = recommend(plain, own, limit);
      const at = user * limit;
      const found = [...items.subarray(at, at + counts[user])];
      const given = [...scores.subarray(at, at + counts[user])];
      // Scores that differ in the last bit may change places: what is at each rank is compared by its score.
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
      assert.ok(!found.some((j) => own.seen[own.items.indexOf(j)] || own.excluded.includes(j)));
      found.forEach((j, n) => {
        assert.ok(n === 0 || given[n - 1] > given[n] || (given[n - 1] === given[n] && found[n - 1] < j));
      });
      return [found, given];
    });
  }));
