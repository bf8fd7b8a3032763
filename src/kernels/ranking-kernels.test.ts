import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { close, eachTime, f32, ITEMS, memory, u32 } from '../../test/support/kernel-twins/harness.ts';
import {
  choiceGradient,
  featuresOf,
  type PlainRanker,
  rankScore,
  recommendRanked,
} from '../../test/support/kernel-twins/ranking.ts';
import {
  blockOf,
  lane,
  type PlainUser,
  searchOf,
  users,
  usersOf,
} from '../../test/support/kernel-twins/scoring-arbitraries.ts';
import { buildRankerBlock, featureWidth, rankScratchBytes } from '../scoring/ranker-block.ts';

const eighth = (min: number, max: number) => fc.integer({ min, max }).map((n) => n / 8);
const exact = (length: number) => ({ minLength: length, maxLength: length });
/** Only finite values: odd values are tested where the blend is. */
const model = fc
  .record({
    sparse: fc.array(lane(eighth(-4, 16)), { minLength: 1, maxLength: 5 }),
    popularity: fc.array(eighth(0, 8), exact(ITEMS)),
  })
  .map((plain) => ({
    ...plain,
    itemCount: ITEMS,
    weights: [...plain.sparse.map(() => 1), 0.25],
    logConstant: 0,
  }));
const withRanker = model.chain((plain) =>
  fc.record({
    plain: fc.constant(plain),
    ranker: fc.record({
      candidates: fc.constantFrom(1, 4, ITEMS),
      deep: fc.subarray([...plain.sparse.keys()].slice(0, 4)),
      weights: fc.array(eighth(-8, 8), exact(3 * (plain.sparse.length + 1) + 24)),
      bias: fc.array(eighth(-8, 8), exact(ITEMS)),
    }),
  }),
);

function withOwn(all: readonly PlainUser[]): PlainUser[] {
  const ownNumbers = (item: number) => [item / 8, 1, 0, item % 3];
  return all.map((user) => ({ ...user, own: user.items.flatMap(ownNumbers) }));
}

const rankerBlock = (block: ReturnType<typeof blockOf>, ranker: PlainRanker) =>
  buildRankerBlock(memory, block, { ...ranker, bias: Float32Array.from(ranker.bias) });

test("the ranker's lists are those of the plain twin", () =>
  eachTime(fc.tuple(withRanker, users, fc.integer({ min: 1, max: 6 })), 120, async ([given, all, limit], on) => {
    const { plain, ranker } = given;
    const block = blockOf(plain);
    const histories = withOwn(all);
    const [counts, items] = [memory.u32(all.length), memory.u32(all.length * limit)];
    const scores = memory.f32(all.length * limit);
    const candidates = Math.max(limit, ranker.candidates);
    await on.run(
      'recommendUsers',
      [
        block.pointer,
        rankerBlock(block, ranker).pointer,
        usersOf(histories),
        searchOf(block, limit, candidates),
        counts,
        items,
        scores,
        block.scratchBytes,
      ],
      { rows: all.length, scratchBytes: block.scratchBytes + rankScratchBytes(block.lanes, candidates) },
    );
    return histories.map((history, user) => {
      const expected = recommendRanked(plain, history, ranker, limit);
      const at = user * limit;
      const found = [...items.subarray(at, at + counts[user])];
      const shown = [...scores.subarray(at, at + counts[user])];
      assert.equal(found.length, expected.length);
      close(
        found.map((item) => rankScore(plain, history, ranker, item)),
        shown,
      );
      // If every item is a candidate, ties in the last bit of the blend have no effect.
      if (candidates >= ITEMS) {
        close(
          shown,
          expected.map(({ score }) => score),
        );
      }
      return [found, shown];
    });
  }));

test('features gathered for training are those of the plain twin, of the same candidates', () =>
  eachTime(fc.tuple(withRanker, users), 80, async ([{ plain, ranker }, all], on) => {
    const block = blockOf(plain);
    const histories = withOwn(all);
    const width = featureWidth(block.lanes);
    const slot = Math.min(ITEMS, 5);
    const [counts, items] = [memory.u32(all.length), memory.u32(all.length * slot)];
    const [scores, features] = [memory.f32(all.length * slot), memory.f32(all.length * slot * width)];
    await on.run(
      'gatherFeatures',
      [
        block.pointer,
        rankerBlock(block, ranker).pointer,
        usersOf(histories),
        searchOf(block, slot, slot),
        counts,
        items,
        scores,
        features,
      ],
      { rows: all.length, scratchBytes: block.scratchBytes },
    );
    const used = block.usedLanes;
    return histories.map((history, user) =>
      Array.from({ length: counts[user] }, (_, n) => {
        const row = features.subarray((user * slot + n) * width, (user * slot + n + 1) * width);
        const logs = [0, 1, 2].flatMap((c) => [...row.subarray(c * block.lanes, c * block.lanes + used)]);
        const all = [...logs, ...row.subarray(3 * block.lanes)];
        close(all, featuresOf(plain, history, ranker, items[user * slot + n]));
        return all;
      }),
    );
  }));

test('loss and gradient of choices are those of the plain twin', () =>
  eachTime(
    fc.array(
      fc.array(fc.tuple(fc.array(eighth(-8, 8), exact(4)), fc.nat(ITEMS - 1), fc.constantFrom(0, 0, 0.5)), {
        minLength: 1,
        maxLength: 6,
      }),
      { minLength: 1, maxLength: 5 },
    ),
    80,
    async (questions, on) => {
      const slot = 6;
      const features = memory.f32(questions.length * slot * 4);
      const [items, labels] = [memory.u32(questions.length * slot), memory.f32(questions.length * slot)];
      const facts = f32(Array.from({ length: ITEMS * 4 }, (_, n) => (n % 7) / 7));
      const weights = [0.5, -1, 0.25, 2, 1, -0.5, 0.125, 0];
      for (const [u, rows] of questions.entries()) {
        for (const [n, [row, item, label]] of rows.entries()) {
          features.set(row, (u * slot + n) * 4);
          items[u * slot + n] = item;
          labels[u * slot + n] = label;
        }
      }
      const chunkRows = 2;
      const [losses, gradients] = [
        memory.f32(questions.length),
        memory.f32(Math.ceil(questions.length / chunkRows) * 8),
      ];
      await on.run(
        'choiceGradient',
        [
          u32(questions.map(({ length }) => length)),
          slot,
          features,
          4,
          items,
          facts,
          4,
          labels,
          f32(weights),
          chunkRows,
          losses,
          gradients,
        ],
        { rows: questions.length, scratchBytes: slot * 4, chunkRows },
      );
      const sums = Array.from({ length: gradients.length }, () => 0);
      questions.forEach((rows, u) => {
        const { loss, gradient } = choiceGradient(
          rows.map(([row, item]) => [...row, ...facts.subarray(item * 4, item * 4 + 4)]),
          rows.map(([, , label]) => label),
          weights,
        );
        close([losses[u]], [loss]);
        for (const [k, value] of gradient.entries()) sums[Math.floor(u / chunkRows) * 8 + k] += value;
      });
      close([...gradients], sums);
      return [...losses, ...gradients];
    },
  ));
