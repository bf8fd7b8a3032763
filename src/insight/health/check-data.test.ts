// Faults planted in a real store: each is found with its number, and clean data gives no finding.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeAccount, makeProject } from '../../../test/support/store-fixtures.ts';
import { openTestStore } from '../../../test/support/test-database.ts';
import { systemRuntime } from '../../base/runtime.ts';
import { seededRandom } from '../../base/seeded-random.ts';
import type { DataHealth, HealthCode } from '../../domain/data-health.ts';
import type { AttributeSchema } from '../../domain/dataset.ts';
import type { Project } from '../../domain/project.ts';
import type { EntityRecord, EventRecord } from '../../domain/record.ts';
import type { Store } from '../../store/store.ts';
import { checkData } from './check-data.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const [USERS, ITEMS, PER_USER] = [60, 20, 20];
const EVENTS = USERS * PER_USER;

/** A shop without faults: views and purchases over some weeks, every item with a title. */
function cleanEvents(): EventRecord[] {
  const random = seededRandom(11);
  return Array.from({ length: EVENTS }, (_, n) => ({
    event_id: `e${n}`,
    user_id: `u${n % USERS}`,
    item_id: `i${Math.floor(random.next() * ITEMS)}`,
    ts: NOW - Math.floor(random.next() * 30 * 86_400_000) - 1,
    event_type: n % 5 === 0 ? 'buy' : 'view',
    event_value: 1,
    attributes: {},
  }));
}
const cleanItems = (): EntityRecord[] =>
  Array.from({ length: ITEMS }, (_, n) => ({ id: `i${n}`, attributes: { title: `Item ${n}` } }));

describe('a check of data', () => {
  let store: Store;
  let close: () => Promise<void>;
  let accountId: string;
  before(async () => {
    ({ store, close } = await openTestStore('sqlite'));
    accountId = await makeAccount(store);
  });
  after(() => close());

  const check = async (events: readonly EventRecord[], items = cleanItems()): Promise<DataHealth> => {
    const project = await makeProject(store, accountId);
    await fill(project, events, items);
    return checkProject(project);
  };
  const fill = async (project: Project, events: readonly EventRecord[], items = cleanItems()) => {
    const [eventDataset, itemDataset] = await Promise.all([
      store.datasets.get(accountId, 'event', project.event_dataset_id),
      store.datasets.get(accountId, 'item', project.item_dataset_id),
    ]);
    for (let from = 0; from < events.length; from += 1000) {
      await store.events.upsert(eventDataset!, events.slice(from, from + 1000));
    }
    if (items.length > 0) await store.items.upsert(itemDataset!, items);
    return { eventDataset: eventDataset!, itemDataset: itemDataset! };
  };
  const checkProject = (project: Project, itemSchema: AttributeSchema | null = null) =>
    checkData({ store, project, eventShards: 10, itemSchema, runtime: { ...systemRuntime, nowMs: () => NOW } });
  /** Clean events, the first `count` of them changed. */
  const planted = (count: number, change: (event: EventRecord, n: number) => Partial<EventRecord>) =>
    cleanEvents().map((event, n) => (n < count ? { ...event, ...change(event, n) } : event));
  const found = ({ findings }: DataHealth, code: HealthCode) => {
    assert.deepEqual(
      findings.map((finding) => finding.code),
      [code],
    );
    const [{ count, level, title, cost, fix, examples }] = findings;
    for (const text of [title, cost, fix]) assert.match(text, /^[A-Z0-9“].*\.$/, text);
    return { count, level, examples, title, cost };
  };

  test('clean data gives no finding, and its counts are exact', async () => {
    const events = cleanEvents();
    const report = await check(events);
    assert.deepEqual(report.findings, []);
    const times = events.map(({ ts }) => ts);
    assert.deepEqual([report.events, report.users, report.items, report.item_records], [EVENTS, USERS, ITEMS, ITEMS]);
    assert.deepEqual([report.first_ts, report.last_ts], [Math.min(...times), Math.max(...times)]);
    assert.deepEqual(report.types, [
      { event_type: 'view', count: EVENTS * 0.8 },
      { event_type: 'buy', count: EVENTS * 0.2 },
    ]);
    for (const { event_type, counts } of report.hours!.types) {
      counts.forEach((count, n) => {
        const from = report.hours!.from_ts + n * 3_600_000;
        const expected = events.filter(
          (event) => event.event_type === event_type && event.ts >= from && event.ts < from + 3_600_000,
        );
        assert.equal(count, expected.length, `${event_type} in hour ${n}`);
      });
    }
    const newest = report.hours!.from_ts + report.hours!.types[0].counts.length * 3_600_000;
    assert.ok(report.last_ts! < newest && report.last_ts! >= newest - 3_600_000);
  });

  test('without events it says what to do first', async () => {
    found(await check([]), 'NO_EVENTS');
  });

  test('times in seconds, before 2000 and in the future are found', async () => {
    const seconds = found(await check(planted(24, ({ ts }) => ({ ts: Math.floor(ts / 1000) }))), 'TIMES_IN_SECONDS');
    assert.deepEqual([seconds.count, seconds.level], [24, 'warning']);
    const zero = found(await check(planted(6, () => ({ ts: 0 }))), 'TIMES_BEFORE_2000');
    assert.deepEqual([zero.count, zero.level, zero.examples], [6, 'note', ['1970-01-01T00:00:00.000Z']]);
    const future = await check(planted(24, ({ ts }) => ({ ts: ts * 1000 })));
    assert.equal(found(future, 'TIMES_IN_FUTURE').count, 24);
    assert.ok(future.hours!.from_ts < NOW, 'hours end with the newest event that is not in the future');
  });

  test('equal times and times without a clock are found', async () => {
    const equal = found(await check(planted(EVENTS, () => ({ ts: NOW - 5 }))), 'TIMES_EQUAL');
    assert.deepEqual([equal.count, equal.examples], [EVENTS, [new Date(NOW - 5).toISOString()]]);
    const half = found(await check(planted(EVENTS / 2, () => ({ ts: NOW - 5 }))), 'TIMES_EQUAL');
    assert.ok(half.count >= EVENTS / 4 && half.count <= EVENTS / 2, String(half.count));
    const days = await check(planted(EVENTS, ({ ts }) => ({ ts: ts - (ts % 86_400_000) })));
    assert.equal(found(days, 'TIMES_WITHOUT_CLOCK').count, EVENTS);
  });

  test('misspelled types are found, and what they hide of the target', async () => {
    const report = await check(planted(3, (_, n) => ({ event_type: ['veiw', 'Buy', 'buy '][n] })));
    const { count, examples, cost } = found(report, 'SIMILAR_TYPES');
    assert.equal(count, 3);
    assert.deepEqual(examples.toSorted(), [
      '“Buy” looks like “buy”',
      '“buy ” looks like “buy”',
      '“veiw” looks like “view”',
    ]);
    assert.match(cost, /^2 events do not count as “buy”: 0\.8% /);
    // Numbered steps and frequent names are names of their own.
    const named = planted(EVENTS / 2, (_, n) => ({ event_type: n === 0 ? 'view2' : n % 2 ? 'pay' : 'play' }));
    assert.deepEqual((await check(named)).findings, []);
  });

  test('a target that never occurs is found', async () => {
    const { examples } = found(await check(planted(EVENTS, () => ({ event_type: 'view' }))), 'NO_TARGET_EVENTS');
    assert.deepEqual(examples, ['view']);
  });

  test('items of events without a record are found, deleted ones are not', async () => {
    const project = await makeProject(store, accountId);
    const { itemDataset } = await fill(
      project,
      planted(30, (_, n) => ({ item_id: `lost${n % 3}` })),
    );
    await store.items.delete(itemDataset, ['lost2']);
    const { count, examples, cost } = found(await checkProject(project), 'UNKNOWN_ITEMS');
    assert.deepEqual([count, examples.toSorted()], [2, ['lost0', 'lost1']]);
    assert.match(cost, /1\.7% of the events/);
    assert.deepEqual((await check(cleanEvents(), [])).findings, [], 'no records at all: the project works by events');
  });

  test('items without attributes are found', async () => {
    const bare = (n: number) => (n === 0 ? {} : { title: '', genre: null });
    const items = cleanItems().map(({ id, attributes }, n) => ({ id, attributes: n < 2 ? bare(n) : attributes }));
    const { count, examples } = found(await check(cleanEvents(), items), 'ITEMS_WITHOUT_ATTRIBUTES');
    assert.deepEqual([count, examples], [2, ['i0', 'i1']]);
  });

  test('a text in an attribute of numbers is found, and one of both kinds is not', async () => {
    const items = cleanItems().map(({ id, attributes }, n) => ({
      id,
      attributes: { ...attributes, stock: n === 3 ? '5,5' : n, size: n % 2 === 0 ? n : 'L', since: n === 0 ? '' : n },
    }));
    const project = await makeProject(store, accountId);
    await fill(project, cleanEvents(), items);
    const { count, level, examples } = found(await checkProject(project), 'TEXTS_AMONG_NUMBERS');
    assert.deepEqual([count, level], [ITEMS, 'warning'], 'the whole attribute becomes a category');
    assert.deepEqual(examples, ['“stock” has 19 numbers and 1 text: “5,5” of i3']);
    assert.deepEqual((await checkProject(project, { stock: 'CATEGORICAL' })).findings, []);
  });

  test('users with one event are found when they are most users', async () => {
    const report = await check(planted(200, (_, n) => ({ user_id: `once${n}` })));
    assert.equal(report.users_with_one_event, 200);
    assert.equal(found(report, 'USERS_WITH_ONE_EVENT').count, 200);
  });

  test('repeated events are found', async () => {
    const events = cleanEvents();
    const repeats = events.slice(0, 15).map((event) => ({ ...event, event_id: `again-${event.event_id}` }));
    const { count, examples } = found(await check([...events, ...repeats]), 'DUPLICATE_EVENTS');
    assert.equal(count, 15);
    assert.equal(examples.length, 1);
    const others = events
      .slice(0, 15)
      .map((event) => ({ ...event, event_id: `o-${event.event_id}`, event_type: 'like' }));
    assert.deepEqual((await check([...events, ...others])).findings, []);
  });

  test('it can be stopped', async () => {
    const project = await makeProject(store, accountId);
    await fill(project, cleanEvents());
    const signal = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(
      checkData({
        store,
        project,
        eventShards: 10,
        itemSchema: null,
        runtime: { ...systemRuntime, nowMs: () => NOW },
        signal,
      }),
      /stopped/,
    );
  });
});
