import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOnce } from '../base/steps.ts';
import { MAX_SEGMENT_EVENTS, MAX_SEGMENT_FAILURES, readSegment } from './segment.ts';
import type { SegmentMapping } from './segment-mapping.ts';

const NOW = 1_800_000_000_000;
const TIME = '2026-11-15T20:36:28.457Z';
const track = (event: string, properties: object, change: object = {}) => ({
  type: 'track',
  userId: 'u1',
  messageId: 'm1',
  timestamp: TIME,
  event,
  properties,
  ...change,
});
const read = (messages: readonly unknown[], mapping: SegmentMapping | null = null) =>
  atOnce(readSegment(messages, mapping, NOW));
const eventsOf = (...messages: unknown[]) => read(messages).events.map(({ record }) => record);

test('the standard e-commerce events need no mapping', () => {
  const [view, cart] = eventsOf(
    track('Product Viewed', { product_id: 'p1', price: 9 }),
    track('Product Added', { sku: 's2', quantity: 3 }, { userId: null, anonymousId: 'a1' }),
  );
  assert.deepEqual(
    { ...view, event_id: '' },
    {
      event_id: '',
      user_id: 'u1',
      item_id: 'p1',
      ts: Date.parse(TIME),
      event_type: 'view',
      event_value: 1,
      attributes: {},
    },
  );
  assert.deepEqual([cart.user_id, cart.item_id, cart.event_type, cart.event_value], ['a1', 's2', 'cart', 3]);
});

test('an order is one event for each product, and a delivery that comes again has the same ids', () => {
  const order = track('Order Completed', {
    order_id: 'o1',
    products: [{ product_id: 'p1', quantity: 2 }, { sku: 'p2' }, { price: 3 }, 'p3', { product_id: 7 }],
  });
  const bought = eventsOf(order);
  assert.deepEqual(
    bought.map(({ item_id, event_value, event_type }) => [item_id, event_value, event_type]),
    [
      ['p1', 2, 'purchase'],
      ['p2', 1, 'purchase'],
      ['7', 1, 'purchase'],
    ],
  );
  const quantities = ['', ' ', '2', null, true, [3]];
  const products = quantities.map((quantity, place) => ({ product_id: `p${place}`, quantity }));
  assert.deepEqual(
    eventsOf(track('Order Completed', { products })).map(({ event_value }) => event_value),
    [1, 1, 2, 1, 1, 1],
    'a quantity that is no number counts as one that is missing',
  );
  assert.equal(new Set(bought.map(({ event_id }) => event_id)).size, 3);
  const { skipped, skippedNames } = read([order]);
  assert.deepEqual([skipped, skippedNames], [2, { 'Order Completed': 2 }], 'products without an id are counted');
  const without = read([track('Order Completed', { products: [{}, {}] })]);
  assert.deepEqual([without.events, without.skipped], [[], 1], 'an order without any is one message');
  assert.deepEqual(eventsOf(order), bought);
  assert.notEqual(eventsOf({ ...order, messageId: 'm2' })[0].event_id, bought[0].event_id);
  assert.notEqual(eventsOf({ ...order, userId: 'u2' })[0].event_id, bought[0].event_id);
});

test('the mapping of the project adds, changes and skips events, and picks attributes', () => {
  const mapping = {
    events: {
      'Song Played': { event_type: 'play', item_id: 'properties.song.id', value: 'properties.seconds' },
      'Product Viewed': null,
    },
    attributes: {
      device: 'context.device.type',
      all: 'context.device',
      missing: 'context.none',
      odd: 'context.constructor.name',
    },
  };
  const { events, failures, skipped, skippedNames } = read(
    [
      track('Song Played', { song: { id: 's9' }, seconds: '42.5' }, { context: { device: { type: 'ios' } } }),
      track('Product Viewed', { product_id: 'p1' }),
      track('Song Played', { song: null }),
    ],
    mapping,
  );
  assert.deepEqual(
    events.map(({ record }) => [record.item_id, record.event_value, record.attributes]),
    [['s9', 42.5, { device: 'ios' }]],
  );
  assert.deepEqual(
    failures.map(({ index, code, message }) => [index, code, message.slice(0, 34)]),
    [[0, 'ATTRIBUTE_TYPE_MISMATCH', 'attribute "all" cannot be stored: ']],
  );
  assert.deepEqual([skipped, skippedNames], [2, { 'Product Viewed': 1, 'Song Played': 1 }]);
});

test('attributes that cannot be stored are named up to the limit of a response', () => {
  const mapping = { attributes: { a: 'context.device', b: 'context.device', c: 'context.device' } };
  const batch = Array.from({ length: 100 }, (_, n) =>
    track('Product Viewed', { product_id: `p${n}` }, { context: { device: { type: 'ios' } } }),
  );
  const { events, failures } = read(batch, mapping);
  assert.deepEqual([events.length, failures.length], [100, MAX_SEGMENT_FAILURES]);
  assert.deepEqual([failures[0].index, failures.at(-1)?.index], [0, 16]);
});

test('identify gives attributes, without what names a person unless the mapping says so', () => {
  const identify = {
    type: 'identify',
    userId: 'u1',
    traits: {
      plan: 'pro',
      age: 31,
      vip: true,
      email: 'jane@example.org',
      firstName: 'Jane',
      address: { city: 'X' },
      tags: ['a', 'b'],
      none: null,
    },
  };
  const identifiedBy = (message: object, mapping: object | null = null) =>
    read([track('Viewed', {}), message], mapping as never).identified;
  const of = (traits: object) => [{ message: 1, user_id: 'u1', traits }];
  assert.deepEqual(identifiedBy(identify), of({ plan: 'pro', age: 31, vip: true, tags: ['a', 'b'] }));
  assert.deepEqual(identifiedBy(identify, { traits: ['firstName'] }), of({ firstName: 'Jane' }));
  assert.equal(read([identify]).skipped, 0);
  const odd = { type: 'identify', userId: 'u1', traits: JSON.parse('{"__proto__": "x", "plan": "pro"}') };
  assert.deepEqual(identifiedBy(odd), of({ plan: 'pro' }));
  const without = { type: 'identify', userId: 'u1', traits: 'none' };
  assert.deepEqual([read([without]).identified.length, read([without]).skipped], [0, 1]);
});

test('what is no event is skipped and counted by name, whatever it is', () => {
  const odd: unknown[] = [
    null,
    7,
    'x',
    [],
    {},
    { type: 'page', userId: 'u1', name: 'Home' },
    track('Product Clicked', { product_id: 'p' }, { type: 'screen' }),
    track('Checkout Started', {}),
    track('Product Viewed', {}),
    track('Product Viewed', { product_id: 'p' }, { userId: null }),
    track('Order Completed', { products: 'none' }),
    track('__proto__', { product_id: 'p' }),
    { type: 'identify', userId: 'u1', traits: {} },
  ];
  const { events, skipped, skippedNames, identified } = read(odd);
  assert.deepEqual([events.length, identified.length, skipped], [0, 0, odd.length]);
  assert.deepEqual([skippedNames.page, skippedNames['Product Viewed'], skippedNames.unknown], [1, 2, 5]);
  const many = read(Array.from({ length: 100 }, (_, n) => track(`e${n}`, {})));
  assert.deepEqual([many.skipped, Object.keys(many.skippedNames).length], [100, 20]);
  const [long] = Object.keys(read([track('x'.repeat(1000), {})]).skippedNames);
  assert.equal(long, 'x'.repeat(128));
});

test('a message without a time happened now, one whose time cannot be read is skipped', () => {
  const [event] = eventsOf(track('Product Viewed', { product_id: 'p' }, { timestamp: null, sentAt: undefined }));
  assert.equal(event.ts, NOW);
  for (const timestamp of ['yesterday', 2020, '1969-12-31T00:00:00Z']) {
    const message = track('Product Viewed', { product_id: 'p' }, { timestamp });
    const { events, skipped, skippedNames } = read([message]);
    assert.deepEqual([events, skipped, skippedNames], [[], 1, { 'Product Viewed': 1 }], `${timestamp}`);
  }
});

test('the list that an event came from is that of its product, else that of the message', () => {
  const [first, second] = eventsOf(
    track('Order Completed', {
      recommendation_id: 'of the order',
      products: [{ product_id: 'p1', recommendation_id: 'of p1' }, { product_id: 'p2' }],
    }),
  );
  assert.deepEqual([first.recommendation_id, second.recommendation_id], ['of p1', 'of the order']);
  const [plain] = eventsOf(track('Product Viewed', { product_id: 'p1' }));
  assert.equal('recommendation_id' in plain, false);
});

test('the time is the corrected one, else the one the device gave', () => {
  const timesOf = (change: object) => eventsOf(track('Product Viewed', { product_id: 'p' }, change))[0].ts;
  const [early, late] = ['2026-11-15T20:00:00Z', '2026-11-15T21:00:00Z'];
  assert.equal(timesOf({ timestamp: early, originalTimestamp: late, sentAt: late }), Date.parse(early));
  assert.equal(timesOf({ timestamp: null, originalTimestamp: early, sentAt: late }), Date.parse(early));
  assert.equal(timesOf({ timestamp: null, originalTimestamp: 'x', sentAt: late }), Date.parse(late));
  assert.equal(timesOf({ timestamp: '1969-12-31T00:00:00Z', sentAt: late }), Date.parse(late));
  assert.equal(timesOf({ timestamp: '1970-01-01T00:00:00Z', sentAt: late }), 0);
  assert.equal(timesOf({ timestamp: 2020, sentAt: late }), Date.parse(late));
});

test('a message without an id is told from others by its event, item and time', () => {
  const idOf = (item: string, time: string, name = 'Product Viewed') =>
    eventsOf(track(name, { product_id: item }, { messageId: undefined, timestamp: time }))[0].event_id;
  assert.equal(idOf('p1', TIME), idOf('p1', TIME));
  const others = [idOf('p2', TIME), idOf('p1', '2026-11-15T21:00:00Z'), idOf('p1', TIME, 'Product Added')];
  assert.equal(new Set([idOf('p1', TIME), ...others]).size, 4);
});

test('the defaults know views, clicks, wishes, carts and orders', () => {
  const typeOf = (name: string) =>
    eventsOf(track(name, { product_id: 'p', products: [{ product_id: 'p' }] }))[0].event_type;
  const types = ['Product Viewed', 'Product Clicked', 'Product Added to Wishlist', 'Product Added', 'Order Completed'];
  assert.deepEqual(types.map(typeOf), ['view', 'click', 'wishlist', 'cart', 'purchase']);
});

test('an empty text is no id', () => {
  const [event] = eventsOf(
    track('Product Viewed', { product_id: '', sku: 's1' }, { userId: '', anonymousId: 'a1', messageId: 'm1' }),
  );
  assert.deepEqual([event.user_id, event.item_id], ['a1', 's1']);
  const itemOf = (properties: object) => eventsOf(track('Product Viewed', properties))[0].item_id;
  assert.deepEqual([itemOf({ productId: 'p1', id: 'x' }), itemOf({ id: 'p2' }), itemOf({ sku: 5 })], ['p1', 'p2', '5']);
  assert.match(String(event.event_id), /^seg_[\w-]{27}$/);
});

test('a message whose own id or whose user is too long is skipped', () => {
  const long = 'x'.repeat(257);
  const messages = [{ messageId: long }, { userId: long }, { type: 'identify', userId: long, traits: { plan: 'pro' } }];
  const { events, identified, skipped } = read(messages.map((change) => track('Product Viewed', { id: 'p' }, change)));
  assert.deepEqual([events, identified.length, skipped], [[], 0, 3]);
  assert.equal(eventsOf(track('Product Viewed', { id: 'p' }, { messageId: 'x'.repeat(256) })).length, 1);
});

test('a message whose user or item is a number that has lost digits is skipped', () => {
  const lost = Number('1234567890123456789');
  const messages = [
    track('Product Viewed', { id: 'p' }, { userId: lost, anonymousId: 'a1' }),
    track('Product Viewed', { product_id: lost, sku: 's1' }),
  ];
  const { events, skippedNames } = read(messages);
  assert.deepEqual([events, skippedNames], [[], { 'Product Viewed': 2 }]);
});

test('what is no id of a message is as if it had none', () => {
  const idOf = (messageId: unknown) => eventsOf(track('Product Viewed', { id: 'p' }, { messageId }))[0].event_id;
  for (const messageId of ['', { a: 1 }, [], true, null]) assert.equal(idOf(messageId), idOf(undefined));
});

test('events beyond the limit of a call are not made, nor more bytes of attributes than a call may have', () => {
  const order = (products: number, change: object = {}) =>
    track('Order Completed', { products: Array.from({ length: products }, (_, n) => ({ id: `${n}` })), ...change });
  const unread = {
    get type() {
      throw new Error('a message after the limit was read');
    },
  };
  const half = order(MAX_SEGMENT_EVENTS / 2);
  assert.equal(eventsOf(half, half).length, MAX_SEGMENT_EVENTS);
  assert.throws(() => read([half, half, order(1), unread]), { code: 'BATCH_TOO_LARGE' });
  const campaign = { attributes: { campaign: 'properties.campaign' } };
  assert.equal(read([order(10, { campaign: 'c'.repeat(400_000) })], campaign).events.length, 10);
  assert.throws(() => read([order(11, { campaign: 'c'.repeat(400_000) }), unread], campaign), {
    code: 'BATCH_TOO_LARGE',
  });
});

test('each event is a step of its own', () => {
  const order = track('Order Completed', { products: Array.from({ length: 9 }, (_, n) => ({ id: `${n}` })) });
  assert.ok([...readSegment([order], null, NOW)].length >= 9);
});
