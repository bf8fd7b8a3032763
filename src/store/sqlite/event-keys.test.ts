import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeAccount, makeDataset, makeEvent } from '../../../test/support/store-fixtures.ts';
import { openTestStore } from '../../../test/support/test-database.ts';

test('an event that got the number of a deleted one is not read in its place', async () => {
  const { store, close } = await openTestStore('sqlite');
  const mine = await makeDataset(store, await makeAccount(store), 'event');
  const other = await makeDataset(store, await makeAccount(store), 'event');
  const attributes = { of: 'mine' };
  await store.events.upsert(mine, [
    makeEvent({ event_id: 'zeroth', ts: 0, attributes }),
    makeEvent({ event_id: 'first', ts: 1, attributes }),
    makeEvent({ event_id: 'second', ts: 2, attributes }),
  ]);
  // As a reader sees it that found the keys before the deletion, and reads the rows after the upsert.
  await store.database.atomic([{ sql: "DELETE FROM event WHERE event_id = 'second'" }]);
  await store.events.upsert(other, [makeEvent({ event_id: 'foreign', attributes: { of: 'other' } })]);
  const numbers = await store.database.all("SELECT seq FROM event WHERE event_id = 'foreign'");
  assert.deepEqual(numbers, [{ seq: 3 }]);

  for (const userId of [undefined, 'u']) {
    const listed: string[][] = [];
    for (let page_token: string | null = null; ; ) {
      const page = await store.events.list(mine.dataset_id, { page_size: 1, page_token }, userId);
      listed.push(page.entries.map(({ event_id }) => event_id));
      ({ next_page_token: page_token } = page);
      if (page_token === null) break;
    }
    assert.deepEqual(listed, [[], ['first'], ['zeroth']], 'nor does the list end there');
  }
  const whole = await Array.fromAsync(store.events.records(mine.dataset_id, { from: 0, to: mine.num_shards }));
  assert.deepEqual(
    whole.flat().map(({ event_id }) => event_id),
    ['zeroth', 'first'],
  );
  const blocks = await Array.fromAsync(store.events.attributeBlocks(mine.dataset_id, { type: 0, newest: 10 }));
  assert.deepEqual(
    blocks.flatMap((block) => block.attributes),
    ['{"of":"mine"}', '{"of":"mine"}'],
  );
  await close();
});
