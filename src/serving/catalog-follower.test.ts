import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalog } from '../catalog/catalog.ts';
import type { RecordStore } from '../store/record-store.ts';
import { CatalogFollower } from './catalog-follower.ts';

/** Ends its looks at the store one by one, when told to. */
function slowCatalog() {
  const looks: { end: () => void }[] = [];
  const catalog = {
    follow: () => new Promise<boolean>((resolve) => looks.push({ end: () => resolve(true) })),
  } as unknown as Catalog;
  return { looks, follower: new CatalogFollower(catalog, {} as RecordStore) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('calls that come during a look share the one after it, which begins when the first has ended', async () => {
  const { looks, follower } = slowCatalog();
  const ended: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    Promise.resolve(follower.follow()).then(() => ended.push(name));
  }
  await turn();
  assert.equal(looks.length, 1);
  looks[0].end();
  await turn();
  assert.deepEqual(ended, ['first']);
  assert.equal(looks.length, 2);
  looks[1].end();
  await turn();
  assert.deepEqual(ended, ['first', 'second', 'third']);
  follower.follow();
  assert.equal(looks.length, 3);
});
