import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeAccount, makeDataset, makeEvent } from '../../test/support/store-fixtures.ts';
import { openStore } from '../store/open-store.ts';
import { UserChanges } from './user-changes.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'kindred-user-changes-'));
const here = await openStore({ dataDir, databaseUrl: null });
const elsewhere = await openStore({ dataDir, databaseUrl: null });
after(() => Promise.all([here.close(), elsewhere.close()]));

const account = await makeAccount(here);
const write = async (store: typeof here, dataset: Awaited<ReturnType<typeof makeDataset>>, userIds: string[]) => {
  const events = userIds.map((user_id) => makeEvent({ event_id: `${user_id}-${Math.random()}`, user_id }));
  await store.events.upsert(dataset, events);
};
const numberOf = async (datasetId: string, userId: string) =>
  (await here.events.history(datasetId, userId, 1))[0].user_no;

test('only users whose events changed count as changed, also when another process wrote them', async () => {
  const dataset = await makeDataset(here, account, 'event');
  await write(here, dataset, ['a', 'b']);
  const [a, b] = [await numberOf(dataset.dataset_id, 'a'), await numberOf(dataset.dataset_id, 'b')];
  const changes = new UserChanges(here.events);
  const { version } = await changes.follow(dataset.dataset_id);
  await write(elsewhere, dataset, ['b', 'c']);
  const now = await changes.follow(dataset.dataset_id);
  assert.equal(now.isUnchanged(a, version), true);
  assert.equal(now.isUnchanged(b, version), false);
  assert.equal(now.isUnchanged(b, now.version), true);
  await elsewhere.events.deleteOfUser(dataset, 'a');
  assert.equal((await changes.follow(dataset.dataset_id)).isUnchanged(a, version), false);
});

test('who looks too rarely starts over: everybody counts as changed', async () => {
  const dataset = await makeDataset(here, account, 'event');
  await write(here, dataset, ['a']);
  const a = await numberOf(dataset.dataset_id, 'a');
  const changes = new UserChanges(here.events);
  const { version } = await changes.follow(dataset.dataset_id);
  for (let n = 0; n < 700; n++) await write(here, dataset, ['b']);
  const now = await changes.follow(dataset.dataset_id);
  assert.equal(now.isUnchanged(a, version), false);
  assert.equal(now.isUnchanged(a, now.version), true);
});

test('a write that changes very many users counts as a change of everybody', async () => {
  const dataset = await makeDataset(here, account, 'event');
  await write(here, dataset, ['a']);
  const a = await numberOf(dataset.dataset_id, 'a');
  const changes = new UserChanges(here.events);
  const { version } = await changes.follow(dataset.dataset_id);
  await write(
    here,
    dataset,
    Array.from({ length: 2500 }, (_, n) => `many-${n}`),
  );
  assert.equal((await changes.follow(dataset.dataset_id)).isUnchanged(a, version), false);
});
