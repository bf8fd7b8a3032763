// Tests what training learns from attributes of users and events, with a real store.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trainOn } from '../../test/support/train-on.ts';
import { seededRandom } from '../base/seeded-random.ts';

const ITEMS = 40;
const USERS = 300;

/** Users buy odd items on the phone and even ones at the desk, nine times in ten. */
function shop() {
  const { next: chance } = seededRandom(5);
  const users = Array.from({ length: USERS }, (_, n) => ({ id: `u${n}`, attributes: {} }));
  const events = users.flatMap(({ id }) =>
    Array.from({ length: 8 }, () => {
      const device = chance() < 0.5 ? 'phone' : 'desk';
      const odd = chance() < 0.9 === (device === 'phone');
      const item = 2 * Math.floor(chance() * (ITEMS / 2)) + (odd ? 1 : 0);
      return {
        user_id: id,
        item_id: `i${item}`,
        attributes: { device, session: `s${Math.floor(chance() * 1e9)}`, hour: 9 },
      };
    }),
  );
  const items = Array.from({ length: ITEMS }, (_, n) => ({ id: `i${n}`, attributes: {} }));
  return { users, events, items };
}

const oddShare = (items: readonly { item_id: string }[]) =>
  items.filter(({ item_id }) => Number(item_id.slice(1)) % 2 === 1).length / items.length;

test('the context of events is learned, and a call that says it gets what others chose in it', async () => {
  const { model, recommender } = await trainOn(shop());
  assert.deepEqual(model.context!.binnings.map(({ attribute }) => attribute).sort(), ['device', 'hour', 'session']);
  assert.ok(model.context!.features.length <= 4, 'a value that hardly anybody shares is not kept');
  const nobody = { history: [], attributes: {} };
  const phone = recommender.top({ ...nobody, context: { device: 'phone' } }, { limit: 10 });
  assert.ok(oddShare(phone.items) >= 0.9);
  const desk = recommender.top({ ...nobody, context: { device: 'desk' } }, { limit: 10 });
  assert.ok(oddShare(desk.items) <= 0.1);
  const bought = { item_id: 'i4', event_type: 'buy', event_value: 1, ts: 1 };
  const user = { history: [bought], attributes: {}, context: { device: 'phone' } };
  const known = recommender.top(user, { limit: 10, explain: true });
  assert.ok(oddShare(known.items) > oddShare(recommender.top({ ...user, context: {} }, { limit: 10 }).items));
  assert.ok(known.items[0].reasons!.some((reason) => reason.kind === 'context' && reason.value === 'phone'));
});

test('a dislike is no choice in its context', async () => {
  const { next: chance } = seededRandom(9);
  // At home all films are liked. At work most events are dislikes of the first five films, which nobody likes there.
  const events = Array.from({ length: 1800 }, (_, n) => {
    const work = chance() < 0.5;
    const dislikes = work && chance() < 0.8;
    const film = work ? Math.floor(5 * chance()) + (dislikes ? 0 : 5) : Math.floor(10 * chance());
    const place = { place: work ? 'work' : 'home' };
    return { user_id: `u${n % 300}`, item_id: `i${film}`, event_value: dislikes ? -1 : 1, attributes: place };
  });
  const items = Array.from({ length: 10 }, (_, n) => ({ id: `i${n}`, attributes: {} }));
  const { recommender } = await trainOn({ events, items });
  const atWork = { history: [], attributes: {}, context: { place: 'work' } };
  const best = recommender.top(atWork, { limit: 5 }).items.map(({ item_id }) => item_id);
  assert.deepEqual(best.sort(), ['i5', 'i6', 'i7', 'i8', 'i9']);
});

test('a number that the schema calls a category is one, of users and of events', async () => {
  const data = shop();
  const users = data.users.map(({ id }, n) => ({ id, attributes: { code: n } }));
  const codes = [10.5, 2000.5, 31.25];
  const events = data.events.map((event, n) => ({ ...event, attributes: { shop: codes[n % 3] } }));
  const schema = { userSchema: { code: 'CATEGORICAL' }, eventSchema: { shop: 'CATEGORICAL' } } as const;
  const told = await trainOn({ ...data, users, events, ...schema });
  assert.equal(told.model.context!.binnings[0].handling, 'CATEGORICAL');
  assert.deepEqual(Array.from({ length: 3 }, (_, n) => told.model.context!.features.at(n)).sort(), [
    '0:10.5',
    '0:2000.5',
    '0:31.25',
  ]);
  assert.equal(told.model.coldUsers, null, 'a category that is different for every user says nothing');
  const inferred = await trainOn({ ...data, users, events });
  assert.equal(inferred.model.context!.binnings[0].handling, 'NUMERICAL');
  assert.equal(inferred.model.coldUsers!.binnings[0].handling, 'NUMERICAL');
});

test('events without attributes give no tables of context', async () => {
  const data = shop();
  const { model } = await trainOn({ ...data, events: data.events.map((event) => ({ ...event, attributes: {} })) });
  assert.equal(model.context, null);
});

test('attributes that say the same thing four times count once for users without events', async () => {
  const { next: chance } = seededRandom(11);
  const COUNTRIES = ['EE', 'LV', 'LT'];
  const told = (country: number, id: string) => ({
    id,
    attributes: {
      country: COUNTRIES[country],
      language: `l${country}`,
      currency: `c${country}`,
      region: `r${country}`,
    },
  });
  const users = Array.from({ length: 450 }, (_, n) => told(n % 3, `u${n}`));
  // Three of five purchases are of the user's own country, one of each other. Within a country some items are popular.
  const events = Array.from({ length: 8 }, () => users.map(({ id }, n) => [id, n % 3] as const))
    .flat()
    .map(([user_id, own]) => {
      const country = chance() < 0.6 ? own : (own + 1 + Math.floor(2 * chance())) % 3;
      return { user_id, item_id: `i${country}-${Math.floor(20 * chance() ** 2)}` };
    });
  const items = COUNTRIES.flatMap((made, country) =>
    Array.from({ length: 20 }, (_, n) => ({ id: `i${country}-${n}`, attributes: { made } })),
  );
  const { recommender, catalog, model } = await trainOn({ users, events, items });
  const shares = recommender.shares([catalog.itemsWith('made', 'EE')]);
  const share = new Float32Array(1);
  assert.equal(shares({ history: [], attributes: told(0, '').attributes }, share), 'attributes');
  const { weights } = model.coldUsers!.historyWeights!;
  assert.ok(share[0] > 0.5 && share[0] < 0.7, `planted .6, said ${share[0]} with weights ${weights}`);
});
