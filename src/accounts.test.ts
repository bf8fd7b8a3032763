import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { CREDENTIALS_FILE, currentCredentials, ensureFirstAccount } from './accounts.ts';
import { openStore } from './store/open-store.ts';
import type { AccountStore } from './store/registry-store.ts';
import type { Store } from './store/store.ts';

const URL = 'http://localhost:1';
let root: string;
let dataDir: string;
let store: Store;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'kindred-accounts-'));
});
after(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  dataDir = await mkdtemp(join(root, 'data-'));
  store = await openStore({ dataDir });
});
afterEach(() => store.close());

type Create = AccountStore['create'];

/** The store's accounts, as a process sees them for which making an account goes as told. */
function accountsWhere(create: (make: Create) => Create): AccountStore {
  const { accounts } = store;
  return {
    list: (page) => accounts.list(page),
    findByName: (name) => accounts.findByName(name),
    findKey: (hash) => accounts.findKey(hash),
    create: create((account, key) => accounts.create(account, key)),
  } as Partial<AccountStore> as AccountStore;
}

const start = (accounts: AccountStore = store.accounts): Promise<boolean> => ensureFirstAccount(accounts, dataDir, URL);
const files = async (): Promise<string[]> => (await readdir(dataDir)).filter((name) => name.includes('credentials'));

async function assertOneThatWorks(): Promise<void> {
  assert.deepEqual(await files(), [CREDENTIALS_FILE]);
  assert.ok(await currentCredentials(store.accounts, dataDir, Date.now()), 'the key in the file works');
}

test('of two first starts at once one makes the account, and its credentials are the ones in the folder', async () => {
  // Both find no account before either creates one.
  let waiting = 0;
  let release: () => void;
  const bothHere = new Promise<void>((resolve) => {
    release = resolve;
  });
  const accounts = accountsWhere((make) => async (account, key) => {
    if (++waiting === 2) release();
    await bothHere;
    return make(account, key);
  });
  await Promise.all([start(accounts), start(accounts)]);
  assert.equal((await store.accounts.list({ page_size: 10, page_token: null })).entries.length, 1);
  await assertOneThatWorks();
});

test('a start that finds the account made by one still at it has its credentials too', async () => {
  let seenByOther: unknown;
  const slow = accountsWhere((make) => async (account, key) => {
    const outcome = await make(account, key);
    await start();
    seenByOther = await currentCredentials(store.accounts, dataDir, Date.now());
    return outcome;
  });
  assert.equal(await start(slow), true);
  assert.ok(seenByOther);
  await assertOneThatWorks();
});

for (const [moment, create] of [
  ['before the account is made', () => () => Promise.reject(new Error('killed'))],
  [
    'after the account is made',
    (make: Create) => async (account, key) => {
      await make(account, key);
      throw new Error('killed');
    },
  ],
] satisfies [string, (make: Create) => Create][]) {
  test(`a first start that ends ${moment} leaves nothing the next does not fix`, async () => {
    await assert.rejects(start(accountsWhere(create)), /killed/);
    assert.equal(await start(), true);
    await assertOneThatWorks();
    assert.equal(await start(), false);
  });
}

test('a start in another folder on the same database leaves no credentials there', async () => {
  const elsewhere = join(root, 'not', 'made', 'yet');
  const slow = accountsWhere((make) => async (account, key) => {
    assert.equal(await start(), true);
    return make(account, key);
  });
  assert.equal(await ensureFirstAccount(slow, elsewhere, URL), false);
  assert.deepEqual(await readdir(elsewhere), []);
  await assertOneThatWorks();
});
