// Data at the edges: each trains to something sensible or fails with a reason that says what was found and what is needed.
// No NaN ever leaves a model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobFailure } from '../../src/domain/job.ts';
import { KEPT_TERMS } from '../../src/scoring/explain.ts';
import { type Trained, type TrainingData, trainOn } from '../support/train-on.ts';

const USERS = Array.from({ length: 40 }, (_, n) => `u${n}`);

/** Forty users, each with five of ten items. */
function plainEvents(): { user_id: string; item_id: string }[] {
  return USERS.flatMap((user_id, u) =>
    Array.from({ length: 5 }, (_, n) => ({ user_id, item_id: `i${(u * 3 + n * 7) % 10}` })),
  );
}

/** Every number that leaves the model for a few users is finite; lists are filled. */
function assertServes({ recommender, historyOf }: Trained, userIds: readonly string[]): void {
  const p = new Float32Array(recommender.itemCount);
  const vector = new Float32Array(recommender.vectorLength);
  for (const userId of [...userIds, 'nobody']) {
    const user = { history: historyOf(userId), attributes: {} };
    const { items } = recommender.top(user, { limit: 500, exclude: new Set(), explain: true });
    assert.equal(items.length, Math.min(500, recommender.listed().count));
    for (const { score, reasons } of items) {
      assert.ok(Number.isFinite(score), `score ${score}`);
      const sum = reasons!.reduce((total, { contribution }) => total + contribution, 0);
      // For a long history only the largest terms are returned, all of them above 0.
      const isWhole = reasons!.filter(({ kind }) => kind === 'history').length < KEPT_TERMS;
      const slack = 1e-3 * Math.max(1, Math.abs(score));
      assert.ok(isWhole ? Math.abs(sum - score) <= slack : sum <= score + slack, `${sum} ≠ ${score}`);
    }
    recommender.distribution(user, p);
    recommender.userVector(user, vector);
    assert.ok([...p, ...vector].every(Number.isFinite));
    assert.ok(Math.abs(p.reduce((total, share) => total + share, 0) - 1) < 1e-3);
  }
}

async function failureOf(data: TrainingData): Promise<JobFailure> {
  try {
    await trainOn(data);
  } catch (error) {
    assert.ok(error instanceof JobFailure, String(error));
    return error;
  }
  throw new Error('the data trained to a model');
}

test('no event at all fails with what is needed', async () => {
  assert.match((await failureOf({ events: [] })).message, /events/i);
});

test('only other event types than the target fail, naming what was found', async () => {
  const failure = await failureOf({ events: plainEvents().map((event) => ({ ...event, event_type: 'view' })) });
  assert.match(failure.message, /buy/);
  assert.match(failure.message, /view/);
});

test('only values that are no positive signal fail with a reason', async () => {
  const failure = await failureOf({ events: plainEvents().map((event, n) => ({ ...event, event_value: -n })) });
  assert.match(failure.message, /value|positive/i);
});

const TRAINS: [what: string, data: () => TrainingData, users: string[]][] = [
  ['one user, one item, one event', () => ({ events: [{ user_id: 'u', item_id: 'i' }] }), ['u']],
  ['one user and two items', () => ({ events: ['a', 'b'].map((item_id) => ({ user_id: 'u', item_id })) }), ['u']],
  [
    'all events of one user',
    () => ({ events: Array.from({ length: 300 }, (_, n) => ({ user_id: 'u', item_id: `i${n % 70}` })) }),
    ['u'],
  ],
  ['all users the same item', () => ({ events: USERS.map((user_id) => ({ user_id, item_id: 'i' })) }), ['u1', 'u2']],
  [
    'thousands of events of one user among others',
    () => ({
      events: [
        ...plainEvents(),
        ...Array.from({ length: 12_000 }, (_, n) => ({ user_id: 'heavy', item_id: `i${n % 2000}` })),
      ],
    }),
    ['heavy', 'u1'],
  ],
  ['equal timestamps', () => ({ events: plainEvents().map((event) => ({ ...event, ts: 5 })) }), ['u1', 'u7']],
  [
    'timestamps at both ends of time',
    () => ({ events: plainEvents().map((event, n) => ({ ...event, ts: n % 2 === 0 ? 0 : 8.64e15 })) }),
    ['u1', 'u7'],
  ],
  [
    'values 0, negative and huge among good ones',
    () => ({
      events: plainEvents().map((event, n) => ({ ...event, event_value: [1, 0, -1e300, 1e300, 5e-324, 3][n % 6] })),
    }),
    ['u1', 'u7'],
  ],
  [
    'target events next to a hundred other types',
    () => ({
      events: plainEvents().map((event, n) => ({ ...event, event_type: n % 3 === 0 ? 'buy' : `type-${n % 100}` })),
    }),
    ['u1', 'u7'],
  ],
  [
    'types that are named like what every object has',
    () => ({
      events: plainEvents().map((event, n) => ({
        ...event,
        event_type: ['buy', 'buy', 'constructor', 'toString', '__proto__'][n % 5],
      })),
    }),
    ['u1', 'u7'],
  ],
  [
    'more event types than fit in a byte',
    () => ({
      events: [
        ...Array.from({ length: 400 }, (_, n) => ({
          user_id: `u${n % 40}`,
          item_id: `i${n % 10}`,
          event_type: `type-${n}`,
        })),
        ...plainEvents(),
      ],
    }),
    ['u1', 'u7'],
  ],
];

for (const [what, data, users] of TRAINS) {
  test(`${what}: trains and serves`, async () => {
    const trained = await trainOn(data());
    assertServes(trained, users);
  });
}

test('ids with every kind of character come back as they were', async () => {
  const ids = [
    'é',
    ' ',
    "it's",
    '"',
    '\\',
    '/',
    '😀',
    'a\u0301',
    '%00',
    '<b>',
    '__proto__',
    'constructor',
    'x'.repeat(256),
  ];
  const trained = await trainOn({
    events: ids.flatMap((user_id, u) =>
      ids.filter((_, n) => (n + u) % 3 !== 0).map((item_id) => ({ user_id, item_id })),
    ),
  });
  assertServes(trained, ids.slice(0, 3));
  const { items } = trained.recommender.top({ history: [], attributes: {} }, { limit: 500 });
  assert.deepEqual(items.map(({ item_id }) => item_id).sort(), [...ids].sort());
});

test('attributes of mixed types, items and users without events are served', async () => {
  const odd = [5, 'five', true, null, [1, 'a', null], [], { deep: { er: 1 } }, 1e308, '', ['x', ['y']]];
  const trained = await trainOn({
    events: plainEvents(),
    items: Array.from({ length: 30 }, (_, n) => ({
      id: `i${n}`,
      attributes: { odd: odd[n % odd.length], [`only-${n}`]: n },
    })),
    users: Array.from({ length: 60 }, (_, n) => ({ id: `u${n}`, attributes: { odd: odd[n % odd.length] } })),
  });
  assert.equal(trained.model.itemIds.length, 30);
  assert.equal(trained.model.warmItemCount, 10);
  assertServes(trained, ['u1', 'u50']);
  for (const value of odd) {
    const { items } = trained.recommender.top({ history: [], attributes: { odd: value } }, { limit: 5, explain: true });
    assert.equal(items.length, 5);
    assert.ok(items.every(({ score }) => Number.isFinite(score)));
  }
});

test('users without history are served by what users like them take', async () => {
  const events = Array.from({ length: 600 }, (_, n) => {
    const side = n % 2;
    return { user_id: `u${n % 100}`, item_id: `i${2 * ((n * 13) % 20) + side}` };
  });
  const users = Array.from({ length: 100 }, (_, n) => ({
    id: `u${n}`,
    attributes: { side: n % 2 === 0 ? 'even' : 'odd' },
  }));
  const { recommender } = await trainOn({ events, users });
  for (const [side, rest] of [
    ['even', 0],
    ['odd', 1],
  ] as const) {
    const { basis, items } = recommender.top({ history: [], attributes: { side } }, { limit: 10, explain: true });
    assert.equal(basis, 'attributes');
    for (const { item_id } of items) assert.equal(Number(item_id.slice(1)) % 2, rest, item_id);
    assert.ok(items[0].reasons!.some((reason) => reason.kind === 'user-attribute' && reason.value === side));
  }
});
