// One suite for every model behind the recommender contract, whatever trained it.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { loadModel, saveModel } from '../../src/artifact/g1-file.ts';
import type { G1Model } from '../../src/artifact/g1-model.ts';
import type { UserSignal } from '../../src/history/user-signal.ts';
import { createScorer } from '../../src/scoring/create-scorer.ts';
import { G1Recommender } from '../../src/scoring/g1-recommender.ts';
import type { CreateScorer } from '../../src/scoring/scorer.ts';
import { BOARD, catalogOf, checkerboard, signal, userOf } from '../support/checkerboard.ts';
import { parseFilter } from '../support/parse-filter.ts';
import { createPlainScorer } from '../support/plain-scorer.ts';
import { type ToyEvent, toyModel } from '../support/toy-model.ts';
import { trainOn } from '../support/train-on.ts';

function recommenderContract(
  name: string,
  train: (events: readonly ToyEvent[]) => Promise<G1Model>,
  scorer: CreateScorer,
): void {
  suite(`the recommender contract, ${name}`, () => {
    const board = checkerboard();
    const make = async (change: Partial<G1Model> = {}) =>
      new G1Recommender({ ...(await train(board)), ...change }, catalogOf(board), scorer);
    const ids = (items: readonly { item_id: string }[]) => items.map((item) => item.item_id);

    test('learns a checkerboard: every user’s withheld diagonal item comes first', async () => {
      const recommender = await make();
      for (let user = 0; user < BOARD; user++) {
        const { items, basis } = recommender.top(userOf(board, `u${user}`), { limit: 1 });
        assert.equal(basis, 'history');
        assert.equal(items[0].item_id, `i${user}`);
      }
    });

    test('returns the same for one user alone, after others, and for a candidate list', async () => {
      const recommender = await make();
      const fresh = await make();
      for (const user of ['u0', 'u7', 'u7', 'u33']) {
        const here = recommender.top(userOf(board, user), { limit: 20 });
        assert.deepEqual(here, fresh.top(userOf(board, user), { limit: 20 }));
        const scores = recommender.scoreCandidates(
          userOf(board, user),
          here.items.map(({ item }) => item),
        );
        assert.deepEqual(
          [...scores],
          here.items.map(({ score }) => score),
        );
      }
    });

    test('a saved and loaded model returns the same', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kindred-contract-'));
      try {
        const model = await train(board);
        await saveModel(join(folder, 'model'), model);
        const { model: loaded } = await loadModel(join(folder, 'model'));
        const here = new G1Recommender(model, catalogOf(board), scorer);
        const there = new G1Recommender(loaded, catalogOf(board), scorer);
        for (const user of [userOf(board, 'u4'), userOf(board, 'u5'), signal([])]) {
          const request = { limit: 30, explain: true };
          assert.deepEqual(there.top(user, request), here.top(user, request));
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    test('an unseen user with the same events gets the list of a trained one', async () => {
      const recommender = await make();
      const trained = recommender.top(userOf(board, 'u8'), { limit: 10 });
      const shuffledSources = signal(userOf(board, 'u8').history.map((event) => event.item_id));
      assert.deepEqual(recommender.top(shuffledSources, { limit: 10 }), trained);
    });

    test('a filter inside the search equals a filter after full ranking', async () => {
      const recommender = await make();
      const { catalog } = recommender;
      for (const text of [
        "side = 'odd'",
        'n < 9',
        "tags = 't1' AND n > 10",
        "item_id IN ('i3', 'i4', 'nobody')",
        "side = 'neither'",
      ]) {
        const allow = catalog.select(parseFilter(text));
        for (const user of [userOf(board, 'u2'), userOf(board, 'u3'), signal([])]) {
          const some = new Set(['i3', 'i4', 'i6', 'i12'].map((id) => catalog.indexOf(id)));
          for (const exclude of [null, new Set<number>(), some]) {
            const all = recommender.top(user, { limit: BOARD, exclude }).items;
            const kept = all.filter(({ item }) => ((allow.words[item >>> 5] >>> (item & 31)) & 1) === 1);
            for (const limit of [1, 5, BOARD]) {
              assert.deepEqual(recommender.top(user, { limit, allow, exclude }).items, kept.slice(0, limit));
            }
          }
        }
      }
    });

    test('is filled up to the limit while allowed items exist, and never returns an item twice', async () => {
      const recommender = await make();
      for (const user of [userOf(board, 'u1'), signal(['i3']), signal(['nobody']), signal([])]) {
        const { items } = recommender.top(user, { limit: 500, exclude: new Set() });
        assert.equal(items.length, BOARD);
        assert.equal(new Set(ids(items)).size, BOARD);
        assert.equal(recommender.top(user, { limit: 7, exclude: new Set() }).items.length, 7);
      }
    });

    test('leaves out what the call names, else seen items unless the model recommends them', async () => {
      const recommender = await make({ repeats: { rate: 0, recommendSeen: false } });
      const user = signal(['i2', 'i4', 'i6']);
      const seenAmong = (items: readonly { item_id: string }[]) =>
        ids(items).filter((id) => ['i2', 'i4', 'i6'].includes(id)).length;
      assert.equal(seenAmong(recommender.top(user, { limit: BOARD }).items), 0);
      assert.equal(recommender.top(user, { limit: BOARD }).items.length, BOARD - 3);
      assert.equal(seenAmong(recommender.top(user, { limit: BOARD, exclude: new Set() }).items), 3);
      const repeating = await make({ repeats: { rate: 0.5, recommendSeen: true } });
      assert.equal(seenAmong(repeating.top(user, { limit: BOARD }).items), 3);
      const exclude = new Set(['i2', 'i4', 'i6', 'i8'].map((id) => repeating.catalog.indexOf(id)));
      const left = repeating.top(user, { limit: BOARD, exclude }).items;
      assert.equal(seenAmong(left), 0);
      assert.equal(left.length, BOARD - 4);
      assert.ok(!ids(left).includes('i8'), 'also what is no part of the history');
    });

    test('an item is seen by a target event of any value, and not by an event of another type', async () => {
      const recommender = await make({ repeats: { rate: 0, recommendSeen: false } });
      const disliked = { history: [{ item_id: 'i2', event_type: 'buy', event_value: -1, ts: 5 }], attributes: {} };
      assert.equal(recommender.top(disliked, { limit: BOARD }).basis, 'popularity');
      assert.ok(!ids(recommender.top(disliked, { limit: BOARD }).items).includes('i2'));
      const other = signal(['i2'], { event_type: 'never-heard-of' });
      assert.equal(recommender.top(other, { limit: BOARD }).items.length, BOARD);
    });

    test('explanations add up to the score', async () => {
      const recommender = await make();
      for (const user of [userOf(board, 'u9'), signal(['i1', 'i2']), signal([])]) {
        for (const { score, reasons } of recommender.top(user, { limit: BOARD, explain: true, exclude: new Set() })
          .items) {
          const sum = reasons!.reduce((total, { contribution }) => total + contribution, 0);
          assert.ok(Math.abs(sum - score) <= 1e-4 * Math.max(1, Math.abs(score)), `${sum} ≠ ${score}`);
          for (let n = 1; n < reasons!.length; n++) assert.ok(reasons![n - 1].contribution >= reasons![n].contribution);
        }
      }
    });

    test('the largest reason for a checkerboard item is an item of the same color', async () => {
      const recommender = await make();
      const [first] = recommender.top(signal(['i2', 'i4', 'i1']), { limit: 1, explain: true }).items;
      const reason = first.reasons!.find(({ kind }) => kind === 'history');
      assert.ok(reason?.kind === 'history');
      assert.equal(Number(reason.item_id.slice(1)) % 2, Number(first.item_id.slice(1)) % 2);
    });

    test('the distribution is one over the listed items, leans to the user’s taste and has no NaN', async () => {
      const recommender = await make();
      recommender.catalog.remove('i10');
      const p = new Float32Array(recommender.itemCount);
      for (const user of [userOf(board, 'u2'), signal(['i4', 'i6']), signal(['i4']), signal([]), signal(['nobody'])]) {
        const basis = recommender.distribution(user, p);
        assert.ok(p.every((share) => share >= 0 && share <= 1));
        assert.ok(Math.abs(p.reduce((sum, share) => sum + share, 0) - 1) < 1e-4);
        assert.equal(p[recommender.catalog.indexOf('i10')], 0);
        // who has seen nearly all even items has little left of them
        if (basis !== 'history' || user.history.length > 2) continue;
        const even = p.reduce(
          (sum, share, item) => sum + (Number(recommender.catalog.itemId(item).slice(1)) % 2 === 0 ? share : 0),
          0,
        );
        assert.ok(even > 0.6, `even items have ${even}`);
      }
    });

    test('shares of sets of items are sums of the distribution', async () => {
      const recommender = await make();
      const { catalog } = recommender;
      catalog.remove('i10');
      catalog.put('new', { side: 'odd', n: 3 });
      catalog.put('unlike', { color: 'green' });
      await recommender.settle();
      const filters = [
        "side = 'even'",
        "side = 'odd'",
        'n < 7',
        'item_id IS NOT NULL',
        "item_id = 'i10'",
        "color = 'green'",
      ];
      const sets = filters.map((text) => catalog.select(parseFilter(text)));
      const shares = recommender.shares(sets);
      const p = new Float32Array(recommender.itemCount);
      const out = new Float32Array(sets.length);
      const bought = [...Array(BOARD).keys()].map((n) => `i${n}`);
      for (const items of [
        ['i2', 'i4'],
        ['i1', 'new', 'i10'],
        [],
        ['nobody'],
        ['new'],
        bought,
        bought.slice(1),
        ['i2'],
      ]) {
        const basis = recommender.distribution(signal(items), p);
        assert.equal(shares(signal(items), out), basis);
        for (const [n, { words }] of sets.entries()) {
          const sum = p.reduce(
            (total, share, item) => total + (((words[item >>> 5] >>> (item & 31)) & 1) === 1 ? share : 0),
            0,
          );
          assert.ok(Math.abs(out[n] - sum) < 1e-4, `${filters[n]} of ${items}: ${out[n]} ≠ ${sum}`);
        }
      }
    });

    test('user vectors have length one, and none for a user without history', async () => {
      const recommender = await make();
      const vector = (user: UserSignal) => {
        const out = new Float32Array(recommender.vectorLength);
        recommender.userVector(user, out);
        return out;
      };
      const squares = vector(userOf(board, 'u2')).reduce((sum, x) => sum + x * x, 0);
      assert.ok(Math.abs(squares - 1) < 1e-4);
      assert.deepEqual(vector(signal([])), new Float32Array(recommender.vectorLength));
    });

    test('an item the model has never seen is served at once, scored like its most similar items', async () => {
      const recommender = await make();
      recommender.catalog.put('new', { side: 'even', n: 4, tags: ['t1'] });
      recommender.catalog.put('unlike', { color: 'green' });
      await recommender.settle();
      const user = signal(['i2', 'i4', 'i6']);
      const { items } = recommender.top(user, { limit: 500, explain: true });
      assert.equal(items.length, BOARD + 2 - 3);
      const scoreOf = (id: string) => items.find(({ item_id }) => item_id === id)!.score;
      assert.ok(scoreOf('new') > scoreOf('i3') && scoreOf('new') <= items[0].score);
      assert.ok(scoreOf('unlike') <= Math.min(...items.map(({ score }) => score)));
      for (const { score, reasons } of items) {
        assert.ok(Math.abs(reasons!.reduce((total, { contribution }) => total + contribution, 0) - score) < 1e-4);
      }
      const bought = signal(['new', 'i2']);
      assert.ok(!ids(recommender.top(bought, { limit: 500 }).items).includes('new'));
      const p = new Float32Array(recommender.itemCount);
      recommender.distribution(user, p);
      const { coldShare = 0 } = (await train(board)).calibration;
      const [asNew, asUnlike] = ['new', 'unlike'].map((id) => p[recommender.catalog.indexOf(id)]);
      assert.ok(Math.abs(asNew + asUnlike - coldShare) < 1e-5, `${asNew} and ${asUnlike} of ${coldShare}`);
      assert.equal(asNew > asUnlike, coldShare > 0);
    });

    test('a deleted item is no longer returned', async () => {
      const recommender = await make();
      recommender.catalog.remove('i8');
      assert.ok(!ids(recommender.top(userOf(board, 'u8'), { limit: 500 }).items).includes('i8'));
    });

    test('nothing but finite numbers comes out, whatever the signal', async () => {
      const recommender = await make();
      const odd: UserSignal[] = [
        signal(['i1'], { event_value: 1e308 }),
        signal(['i1'], { event_value: Number.MIN_VALUE }),
        signal(['i1', 'i1', 'i1'], { ts: 8.64e15 }),
        signal(['\ud800', '', 'é', '\0']),
        {
          history: signal(Array.from({ length: 5000 }, (_, n) => `i${n % 60}`)).history,
          attributes: { age: 'old', x: [1, null] },
        },
      ];
      const p = new Float32Array(recommender.itemCount);
      const vector = new Float32Array(recommender.vectorLength);
      for (const user of odd) {
        for (const { score, reasons } of recommender.top(user, { limit: 500, explain: true }).items) {
          assert.ok(Number.isFinite(score) && reasons!.every(({ contribution }) => Number.isFinite(contribution)));
        }
        recommender.distribution(user, p);
        recommender.userVector(user, vector);
        assert.ok([...p, ...vector].every(Number.isFinite));
      }
    });
  });
}

recommenderContract('a model made by hand, scored plainly', async (events) => toyModel(events), createPlainScorer);
recommenderContract('a model made by hand, scored by kernels', async (events) => toyModel(events), createScorer);

let trained: Promise<G1Model> | null = null;
recommenderContract(
  'a trained model',
  (events) => {
    const data = events.map(({ user, item }) => ({ user_id: user, item_id: item }));
    trained ??= trainOn({ events: data }).then(({ model }) => model);
    return trained;
  },
  createScorer,
);

test('the same data and seed give the same model', async () => {
  const events = checkerboard().map(({ user, item }) => ({ user_id: user, item_id: item }));
  const [one, two] = [await trainOn({ events }), await trainOn({ events })];
  assert.deepEqual(one.model.settings, two.model.settings);
  assert.deepEqual(one.model.blend, two.model.blend);
  assert.deepEqual(one.model.experts, two.model.experts);
  assert.deepEqual(one.metrics, two.metrics);
});

test('close vectors mean similar taste in a trained model', async () => {
  const board = checkerboard();
  const { recommender } = await trainOn({ events: board.map(({ user, item }) => ({ user_id: user, item_id: item })) });
  const vectors = Array.from({ length: 10 }, (_, user) => {
    const out = new Float32Array(recommender.vectorLength);
    recommender.userVector(userOf(board, `u${user}`), out);
    return out;
  });
  const cosine = (a: number, b: number) => vectors[a].reduce((sum, x, d) => sum + x * vectors[b][d], 0);
  assert.ok(cosine(0, 2) > cosine(0, 1) + 0.2, `${cosine(0, 2)} and ${cosine(0, 1)}`);
  assert.ok(cosine(3, 5) > cosine(3, 4) + 0.2, `${cosine(3, 5)} and ${cosine(3, 4)}`);
});
