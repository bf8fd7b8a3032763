// Related items where few items have events and many are new.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../catalog/catalog.ts';
import { ItemSet } from '../catalog/item-set.ts';
import { ColdItems } from '../cold-start/cold-items.ts';
import { RelatedItems } from './related-items.ts';

const WARM = 10;
const NEW = 2000;

async function youngShop() {
  const catalog = new Catalog('items');
  for (let item = 0; item < WARM + NEW; item++) catalog.put(`i${item}`, {});
  const itemOfWarm = Uint32Array.from({ length: WARM }, (_, item) => item);
  const coldItems = new ColdItems(catalog, itemOfWarm, (item) => item < WARM);
  await coldItems.settle();
  const related = new RelatedItems({
    relations: {},
    coldItems,
    itemOfWarm,
    warmOf: (item) => (item < WARM ? item : -1),
    popularity: new Float32Array(WARM).fill(1),
    byPopularity: itemOfWarm,
  });
  const inOrder = Array.from(coldItems.order.places(), (place) => coldItems.itemAt(place));
  return { related, coldItems, inOrder };
}

for (const [name, step] of [
  ['all are', 1],
  ['every third is', 3],
  ['few are', 400],
] as const) {
  test(`few new items are looked at to fill a list, if ${name} allowed`, async (t) => {
    const { related, coldItems, inOrder } = await youngShop();
    const isAllowed = (item: number) => item % step === 0;
    const allow = new ItemSet(WARM + NEW);
    for (let item = 0; item < WARM + NEW; item++) if (isAllowed(item)) allow.set(item, true);
    const looked = t.mock.method(coldItems, 'groupAt');
    const { items } = related.top({ items: [1], relation: 'similar', limit: 30, allow, isAllowed });
    const found = items.map(({ item }) => item).filter((item) => item >= WARM);
    const room = 30 - (items.length - found.length);
    assert.deepEqual(found, inOrder.filter(isAllowed).slice(0, room));
    assert.ok(looked.mock.callCount() < 300, `${looked.mock.callCount()} of ${NEW}`);
  });
}
