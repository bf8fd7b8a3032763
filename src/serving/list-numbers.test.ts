import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeAccount, makeDataset, makeEvent } from '../../test/support/store-fixtures.ts';
import { openTestStore } from '../../test/support/test-database.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../domain/project.ts';
import type { Store } from '../store/store.ts';
import { CatalogFollower } from './catalog-follower.ts';
import { CountedLists } from './counted-lists.ts';
import { ListNumbers } from './list-numbers.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let store: Store;
let close: () => Promise<void>;
before(async () => {
  ({ store, close } = await openTestStore('sqlite'));
});
after(() => close());

const isGone = async (reference: WeakRef<object>) => {
  for (let tries = 0; tries < 10 && reference.deref() !== undefined; tries++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  return reference.deref() === undefined;
};

test('numbers are looked up once, and keep neither a list that was made again nor a catalog that was dropped', async () => {
  const events = await makeDataset(store, await makeAccount(store), 'event');
  await store.events.upsert(events, [makeEvent({ event_id: 'e', ts: Date.now() })]);
  const project = { event_dataset_id: events.dataset_id } as Project;
  let passedMs = 0;
  const lists = new CountedLists({ store, now: () => Date.now() + passedMs });
  const list = () => lists.list(project, { by: 'popular', windowHours: 24, eventType: null });
  const follower = () => new CatalogFollower(new Catalog('items'), store.items);
  const numbers = new ListNumbers();

  const [old, dropped, kept] = await (async () => {
    const [first, catalog] = [await list(), follower()];
    const items = numbers.of(first, catalog);
    assert.equal(numbers.of(first, catalog), items);
    assert.deepEqual([...items], [catalog.catalog.indexOf(first.itemIds[0])]);
    passedMs += 60_000;
    numbers.of(await list(), catalog);
    return [new WeakRef(first), new WeakRef(catalog), follower()] as const;
  })();
  numbers.of(await list(), kept);
  assert.ok(await isGone(old), 'the list that was made again');
  assert.ok(await isGone(dropped), 'the catalog that was dropped');
  assert.equal(numbers.of(await list(), kept).length, 1);
});
