// Tests the terms that join the score of a history, on a handmade model whose items are on two sides, even and odd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ToyEvent, toyModel } from '../../test/support/toy-model.ts';
import type { LiftTables } from '../artifact/g1-model.ts';
import { Catalog } from '../catalog/catalog.ts';
import { AttributeProfiler } from '../cold-start/attribute-binning.ts';
import { LiftFitter } from '../cold-start/fit-lifts.ts';
import type { UserSignal } from '../history/user-signal.ts';
import { createScorer } from './create-scorer.ts';
import { G1Recommender } from './g1-recommender.ts';
import type { ScoredItem } from './recommender.ts';

const ITEMS = 40;
const SIDES = ['even', 'odd'];

/** Users take items of both sides alike, so that only attributes tell the sides apart; neighbors are four apart. */
function events(): ToyEvent[] {
  const made: ToyEvent[] = [];
  for (let user = 0; user < 200; user++) {
    for (let n = 0; n < 6; n++) made.push({ user: `u${user}`, item: `i${(user + 4 * n) % ITEMS}` });
  }
  return made;
}

function liftsOf(itemIds: { indexOf(id: string): number }): LiftTables {
  const profiler = new AttributeProfiler();
  for (const side of SIDES) profiler.observe({ side });
  const fitter = new LiftFitter(profiler.binnings(), ITEMS);
  const users = Array.from({ length: 400 }, (_, n) => ({ side: SIDES[n % 2], items: [n % 2, (n % 2) + 2 * (n % 20)] }));
  for (const { side } of users) fitter.countFeatures({ side });
  fitter.begin();
  users.forEach(({ side, items }, n) => {
    const indices = items.map((item) => itemIds.indexOf(`i${item % ITEMS}`));
    fitter.add(fitter.featuresOf({ side }), indices, n % 4 < 2 ? 0 : 1);
  });
  return { ...fitter.finish()!, historyWeights: { counts: [1, 3], weights: [0.5, 0.1] } };
}

function recommender(): G1Recommender {
  const model = toyModel(events());
  const catalog = new Catalog('items');
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { n });
  catalog.put('new', { n: 3 });
  const lifts = liftsOf(model.itemIds as string[]);
  return new G1Recommender({ ...model, coldUsers: lifts, context: lifts }, catalog, createScorer);
}

const signal = (items: string[], more: Partial<UserSignal> = {}): UserSignal => ({
  history: items.map((item_id, n) => ({ item_id, event_type: 'buy', event_value: 1, ts: 1000 - n })),
  attributes: {},
  ...more,
});
const SETTLED = recommender();
await SETTLED.settle();
const top = (user: UserSignal, limit = ITEMS + 1) => SETTLED.top(user, { limit, explain: true });
const scoreOf = ({ items }: { items: ScoredItem[] }, id: string) => items.find(({ item_id }) => item_id === id)!.score;
const isOdd = ({ item_id }: ScoredItem) => Number(item_id.slice(1)) % 2 === 1;

function assertAddsUp({ items }: { items: ScoredItem[] }): void {
  for (const { item_id, score, reasons } of items) {
    const sum = reasons!.reduce((total, { contribution }) => total + contribution, 0);
    assert.ok(Math.abs(sum - score) < 1e-4, `${item_id}: ${sum} ≠ ${score}`);
  }
}

test('a user’s attributes count next to one event, less next to five, and the reasons say so', () => {
  const gain = (items: string[]) => {
    const plain = top(signal(items));
    const told = top(signal(items, { attributes: { side: 'odd' } }));
    assertAddsUp(told);
    assert.equal(told.basis, 'history');
    assert.ok(told.restsOnAttributes);
    return scoreOf(told, 'i31') - scoreOf(plain, 'i31');
  };
  const one = gain(['i0']);
  const five = gain(['i0', 'i4', 'i8', 'i12', 'i16']);
  assert.ok(one > 0 && five > 0 && five < one / 2, `${one} and ${five}`);
  const { items } = top(signal(['i0'], { attributes: { side: 'odd' } }));
  const reason = items.find(({ item_id }) => item_id === 'i31')!.reasons!.find(({ kind }) => kind === 'user-attribute');
  assert.ok(reason?.kind === 'user-attribute' && reason.attribute === 'side' && reason.value === 'odd');
});

test('a long history speaks for itself', () => {
  const history = Array.from({ length: ITEMS - 2 }, (_, n) => `i${n}`);
  const model = SETTLED;
  assert.equal(model.top(signal(history.slice(0, 30)), { limit: 5 }).restsOnAttributes, true);
  const long = model.top(signal(history, { attributes: { side: 'odd' } }), { limit: 5 });
  assert.equal(long.restsOnAttributes, false);
  assert.deepEqual(long, model.top(signal(history), { limit: 5 }));
});

test('a user without events gets the popularity of the model, with the lifts of the attributes', () => {
  const plain = top(signal([]));
  const told = top(signal([], { attributes: { side: 'odd' } }));
  assert.equal(told.basis, 'attributes');
  assertAddsUp(told);
  for (const { item_id, reasons } of told.items) {
    const popularity = reasons!.find(({ kind }) => kind === 'popularity')!.contribution;
    assert.ok(Math.abs(popularity - scoreOf(plain, item_id)) < 1e-4, item_id);
  }
  assert.ok(told.items.slice(0, 8).filter(isOdd).length >= 7);
});

test('the context of a call leans the list to it, with history, attributes or nothing', () => {
  for (const user of [signal([]), signal(['i0']), signal([], { attributes: { side: 'even' } })]) {
    const plain = top(user);
    const told = top({ ...user, context: { side: 'odd' } });
    assertAddsUp(told);
    assert.ok(scoreOf(told, 'i7') - scoreOf(told, 'i6') > scoreOf(plain, 'i7') - scoreOf(plain, 'i6'));
  }
  const first = top({ ...signal([]), context: { side: 'odd' } }, 8).items;
  assert.ok(first.filter(isOdd).length >= 7, first.map(({ item_id }) => item_id).join());
  const reasons = first.flatMap((item) => item.reasons!);
  assert.ok(reasons.some(({ kind }) => kind === 'context'));
});

test('attributes of a context that training has not seen are named, and change nothing', () => {
  const model = SETTLED;
  assert.deepEqual(model.unknownContext({ side: 'odd', weather: 'rain' }), ['weather']);
  const user = signal(['i0']);
  assert.deepEqual(model.top({ ...user, context: { weather: 'rain' } }, { limit: 5 }), model.top(user, { limit: 5 }));
});

test('neighbors of a disliked item move down, others do not', () => {
  const dislike = { item_id: 'i2', event_type: 'view', event_value: -1, ts: 2000 };
  const liked = signal(['i6', 'i1']);
  const plain = top(liked);
  const told = top({ ...liked, history: [dislike, ...liked.history] });
  assertAddsUp(told);
  assert.ok(scoreOf(told, 'i10') < scoreOf(plain, 'i10') - 0.01, 'four from i2 and from i6');
  assert.ok(Math.abs(scoreOf(told, 'i5') - scoreOf(plain, 'i5')) < 1e-6, 'nothing ties i5 to i2');
  const reasons = told.items.find(({ item_id }) => item_id === 'i10')!.reasons!;
  const last = reasons.at(-1)!;
  assert.ok(last.kind === 'dislike' && last.item_id === 'i2' && last.contribution < 0);
  const again = { item_id: 'i2', event_type: 'view', event_value: 1, ts: 3000 };
  const back = top({ ...liked, history: [again, dislike, ...liked.history] });
  assert.ok(scoreOf(back, 'i10') >= scoreOf(plain, 'i10'), 'a newer positive event takes it back');
});

test('a user who only disliked things is served what is popular, without their neighbors first', () => {
  const user = { history: [{ item_id: 'i2', event_type: 'buy', event_value: -5, ts: 1 }], attributes: {} };
  const told = top(user);
  assert.equal(told.basis, 'popularity');
  assertAddsUp(told);
  assert.ok(scoreOf(told, 'i6') < scoreOf(top(signal([])), 'i6'));
  // Logarithms of shares are τ times as far apart as scores of a history.
  const dislikeOf = ({ items }: { items: ScoredItem[] }) =>
    items.find(({ item_id }) => item_id === 'i6')!.reasons!.find(({ kind }) => kind === 'dislike')!.contribution;
  const beside = top({ history: [...user.history, ...signal(['i1']).history], attributes: {} });
  assert.ok(Math.abs(dislikeOf(told) - 3 * dislikeOf(beside)) < 1e-6, `${dislikeOf(told)}, ${dislikeOf(beside)}`);
});

test('events of types that weigh nothing count where there are no others', async () => {
  const catalog = new Catalog('items');
  for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { n });
  const model = toyModel(events(), { typeWeights: { buy: 1, view: 0 } });
  const weighed = new G1Recommender(model, catalog, createScorer);
  const looked = (type: string, more: UserSignal['history'] = []): UserSignal => ({
    history: [...more, { item_id: 'i4', event_type: type, event_value: 1, ts: 1 }],
    attributes: {},
  });
  const ids = (user: UserSignal) => weighed.top(user, { limit: 8 }).items.map(({ item_id }) => item_id);
  assert.equal(weighed.top(looked('view'), { limit: 8 }).basis, 'history');
  assert.ok(
    ids(looked('view'))
      .slice(0, 4)
      .every((id) => Number(id.slice(1)) % 4 === 0),
    ids(looked('view')).join(),
  );
  const bought = [{ item_id: 'i1', event_type: 'buy', event_value: 1, ts: 2 }];
  assert.deepEqual(ids(looked('view', bought)), ids({ history: bought, attributes: {} }), 'a purchase speaks alone');
  assert.equal(
    weighed.top(looked('wink'), { limit: 8 }).basis,
    'popularity',
    'a type the model never saw says nothing',
  );
});
