// The registry's stores: the same expectations on every database.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Account, type ApiKey, DEFAULT_PLAN } from '../../src/domain/account.ts';
import { hashSecret } from '../../src/domain/credentials.ts';
import type { Dataset, DatasetKind } from '../../src/domain/dataset.ts';
import type { Project } from '../../src/domain/project.ts';
import type { Store } from '../../src/store/store.ts';
import { matchingSecret, newBrowserKey, newCredentials, newId } from '../support/new-ids.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const FIRST_PAGE = { page_size: 1000, page_token: null };

for (const dialect of DIALECTS) {
  describe(`registry on ${dialect}`, () => {
    let close: () => Promise<void>;
    let registry: Store;

    before(async () => {
      ({ store: registry, close } = await openTestStore(dialect));
    });
    after(() => close());

    it('refuses a second account of the same name and keeps its key out', async () => {
      const first = await newAccount(registry);
      const twin = accountOf({ name: first.name });
      assert.equal(await registry.accounts.create(twin, keyOf(twin)), 'name-taken');
      assert.equal(await registry.accounts.get(twin.account_id), null);
      assert.deepEqual(await registry.accounts.findByName(first.name), first);
      assert.equal((await registry.accounts.listKeys(twin.account_id)).length, 0);
    });

    it('lists accounts in pages, the newest first', async () => {
      const made: string[] = [];
      // Two of the same moment are told apart by their ids.
      for (const created_ts of [1, 2, 2, 3]) {
        const account = accountOf({ created_ts: 9_000_000_000_000 + created_ts });
        assert.equal(await registry.accounts.create(account, keyOf(account)), 'created');
        made.unshift(account.account_id);
      }
      const listed: string[] = [];
      for (let page_token: string | null = null; listed.length < made.length; ) {
        const page = await registry.accounts.list({ page_size: 2, page_token });
        assert.equal(page.entries.length, 2);
        listed.push(...page.entries.map(({ account_id }) => account_id));
        page_token = page.next_page_token;
      }
      const [newest, second, third, oldest] = made;
      assert.deepEqual(listed, [newest, ...[second, third].sort().reverse(), oldest]);
    });

    it('changes only what is given of an account', async () => {
      const account = await newAccount(registry);
      const changed = await registry.accounts.update(account.account_id, { plan: { max_qps: 7 } });
      assert.deepEqual(changed, { ...account, plan: { ...account.plan, max_qps: 7 } });
      assert.equal(await registry.accounts.update('acc_none', { disabled: true }), null);
    });

    it('finds a key by its hash and lists what is disabled', async () => {
      const account = await newAccount(registry);
      const key = { ...keyOf(account), name: 'second' };
      await registry.accounts.addKey(key);
      assert.deepEqual(await registry.accounts.findKey(key.key_hash), { ...key, account_disabled: false });
      const disabled = await registry.accounts.setKeyDisabled(account.account_id, key.key_id, true);
      assert.deepEqual(disabled, { ...key, disabled: true });
      assert.equal(await registry.accounts.setKeyDisabled('acc_other', key.key_id, true), null);
      const { keyIds } = await registry.accounts.revocations(0);
      assert.ok(keyIds.includes(key.key_id));
      for (const { key_id, disabled } of await registry.accounts.listKeys(account.account_id)) {
        assert.equal(keyIds.includes(key_id), disabled);
      }
    });

    it('never disables the last key that works', async () => {
      const account = await newAccount(registry);
      const [only] = await registry.accounts.listKeys(account.account_id);
      assert.equal(await registry.accounts.setKeyDisabled(account.account_id, only.key_id, true), 'last-key');
      const second = keyOf(account);
      await registry.accounts.addKey(second);
      const outcomes = await Promise.all(
        [only, second].map((key) => registry.accounts.setKeyDisabled(account.account_id, key.key_id, true)),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'last-key').length, 1);
    });

    it('never disables the last key that covers everything, but others and ended ones', async () => {
      const { account_id } = await newAccount(registry);
      const [whole] = await registry.accounts.listKeys(account_id);
      const limited = newCredentials(account_id, { name: 'limited', scopes: ['/get-account'] }).key;
      const ended = newCredentials(account_id, { name: 'ended', scopes: ['*'], expires_ts: Date.now() - 1 }).key;
      for (const key of [limited, ended]) await registry.accounts.addKey(key);
      const disable = ({ key_id }: ApiKey) => registry.accounts.setKeyDisabled(account_id, key_id, true);
      assert.equal(await disable(whole), 'last-key');
      for (const key of [limited, ended]) assert.deepEqual(await disable(key), { ...key, disabled: true });
    });

    it('counts only keys that work, bounds the disabled ones too, also when keys are made at once', async () => {
      const account = await newAccount(registry);
      const limits = { usable: 3, total: 5 };
      const add = () => registry.accounts.addKey(keyOf(account), limits);
      assert.deepEqual((await Promise.all(Array.from({ length: 6 }, add))).sort(), [
        ...['added', 'added'],
        ...['usable', 'usable', 'usable', 'usable'],
      ]);
      for (const expected of ['added', 'added', 'total']) {
        const working = (await registry.accounts.listKeys(account.account_id)).filter((key) => !key.disabled);
        await registry.accounts.setKeyDisabled(account.account_id, working[0].key_id, true);
        assert.equal(await add(), expected);
      }
      assert.equal(await registry.accounts.addKey(keyOf(account)), 'added', 'without limits there are none');
    });

    it('keeps a browser key with its origins and project, and no secret opens it', async () => {
      const account = await newAccount(registry);
      const key = newBrowserKey(account.account_id, {
        name: 'pages',
        scopes: ['*'],
        origins: ['https://shop.example', 'http://localhost:3000'],
        project_id: 'prj_1',
        expires_ts: Date.now() + 60_000,
      });
      await registry.accounts.addKey(key);
      assert.deepEqual(await registry.accounts.getKey(account.account_id, key.key_id), key);
      assert.equal(await registry.accounts.getKey('acc_other', key.key_id), null);
      assert.equal(matchingSecret(key, ''), null);
      assert.equal(await registry.accounts.rotateKey(account.account_id, key.key_id, rotationTo('x')), null);
    });

    it('never counts browser keys and expired keys as the last key that works', async () => {
      const account = await newAccount(registry);
      const [only] = await registry.accounts.listKeys(account.account_id);
      const made = { name: 'other', scopes: ['*'] };
      const expired = newCredentials(account.account_id, { ...made, expires_ts: Date.now() - 1 }).key;
      const pages = newBrowserKey(account.account_id, { ...made, origins: ['https://a.example'], project_id: 'prj_1' });
      for (const key of [expired, pages]) await registry.accounts.addKey(key);
      assert.equal(await registry.accounts.setKeyDisabled(account.account_id, only.key_id, true), 'last-key');
      const limits = { usable: 3, total: 100 };
      assert.equal(await registry.accounts.addKey(keyOf(account), limits), 'added', 'an expired key leaves room');
      assert.equal(await registry.accounts.addKey(keyOf(account), limits), 'usable');
      const disabled = await registry.accounts.setKeyDisabled(account.account_id, pages.key_id, true);
      assert.equal(disabled !== null && disabled !== 'last-key' && disabled.disabled, true);
    });

    it('rotates a secret: the old one works until its time, the one before it no more', async () => {
      const account = await newAccount(registry);
      const { key, credentials } = newCredentials(account.account_id, { name: 'rotating', scopes: ['*'] });
      await registry.accounts.addKey(key);
      const { account_id } = account;
      assert.equal(await registry.accounts.rotateKey('acc_other', key.key_id, rotationTo('second')), null);
      const second = await registry.accounts.rotateKey(account_id, key.key_id, rotationTo('second'));
      assert.equal(matchingSecret(second!, credentials.client_secret)?.version, 1);
      assert.equal(matchingSecret(second!, 'second')?.version, 2);
      assert.equal(matchingSecret(second!, credentials.client_secret, Date.now() + 60_000), null);
      const third = await registry.accounts.rotateKey(account_id, key.key_id, rotationTo('third'));
      assert.deepEqual(
        [credentials.client_secret, 'second', 'third'].map((secret) => matchingSecret(third!, secret)?.version),
        [undefined, 2, 3],
      );
      const { rotated } = await registry.accounts.revocations(Date.now() - 60_000);
      const { previous_until_ts } = third!;
      assert.deepEqual(
        rotated.find(({ key_id }) => key_id === key.key_id),
        { key_id: key.key_id, secret_version: 3, previous_until_ts },
      );
      assert.deepEqual((await registry.accounts.revocations(Date.now() + 1)).rotated, []);
    });

    it('makes a shared secret once, whoever asks first', async () => {
      const name = newId('key');
      const secrets = await Promise.all(
        ['a', 'b', 'c'].map((value) => registry.accounts.sharedSecret(name, () => value)),
      );
      assert.equal(new Set(secrets).size, 1);
      assert.equal(await registry.accounts.sharedSecret(newId('key'), () => 'another'), 'another', 'of another name');
      assert.equal(await registry.accounts.sharedSecret(name, () => 'late'), secrets[0]);
    });

    it('keeps the sum of event shards within the plan, also when datasets are made at once', async () => {
      const account = await newAccount(registry, { max_event_shards: 10 });
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => registry.datasets.create(datasetOf(account, 'event', { num_shards: 3 }))),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 3);
      assert.equal(await registry.datasets.create(datasetOf(account, 'user', { num_shards: 5000 })), 'created');
      assert.deepEqual(await registry.accounts.usage(account.account_id), {
        event_shards: 9,
        training_hours: 0,
        storage_bytes: 0,
      });
    });

    it('reads, changes and deletes a dataset only for its account and kind', async () => {
      const account = await newAccount(registry);
      const other = await newAccount(registry);
      const dataset = datasetOf(account, 'item', { attribute_schema: { price: 'NUMERICAL' } });
      const sibling = datasetOf(account, 'item');
      for (const one of [dataset, sibling]) await registry.datasets.create(one);
      const { dataset_id } = dataset;
      assert.deepEqual(await registry.datasets.get(account.account_id, 'item', dataset_id), dataset);
      assert.equal(await registry.datasets.get(other.account_id, 'item', dataset_id), null);
      assert.equal(await registry.datasets.get(account.account_id, 'user', dataset_id), null);
      assert.equal(await registry.datasets.update(other.account_id, 'item', dataset_id, { name: 'stolen' }), null);
      assert.equal(await registry.datasets.delete(other.account_id, 'item', dataset_id), null);
      assert.equal(await registry.datasets.delete(account.account_id, 'user', dataset_id), null);
      assert.equal(await registry.datasets.update(account.account_id, 'user', dataset_id, { name: 'user' }), null);
      assert.deepEqual(await registry.datasets.get(account.account_id, 'item', dataset_id), dataset);

      const renamed = await registry.datasets.update(account.account_id, 'item', dataset_id, { name: 'new' });
      assert.deepEqual(renamed, { ...dataset, name: 'new' });
      const inferred = await registry.datasets.update(account.account_id, 'item', dataset_id, {
        attribute_schema: null,
      });
      assert.deepEqual(inferred, { ...dataset, name: 'new', attribute_schema: null });
      assert.deepEqual(await registry.datasets.get(account.account_id, 'item', sibling.dataset_id), sibling);
      assert.deepEqual(await registry.datasets.delete(account.account_id, 'item', dataset_id), inferred);
      assert.equal(await registry.datasets.delete(account.account_id, 'item', dataset_id), null);
    });

    it('lists newest first, page by page, without gaps or twins', async () => {
      const account = await newAccount(registry);
      for (let index = 0; index < 7; index++) {
        await registry.datasets.create(datasetOf(account, 'user', { created_ts: 1000 + Math.floor(index / 3) }));
      }
      const seen: string[] = [];
      let page_token: string | null = null;
      do {
        const page: { entries: Dataset[]; next_page_token: string | null } = await registry.datasets.list(
          account.account_id,
          'user',
          { page_size: 2, page_token },
        );
        seen.push(...page.entries.map(({ created_ts, dataset_id }) => `${created_ts} ${dataset_id}`));
        page_token = page.next_page_token;
      } while (page_token);
      assert.equal(new Set(seen).size, 7);
      assert.deepEqual(seen, seen.toSorted().reverse());
    });

    it('ties a project to datasets of its own account and guards them from deletion', async () => {
      const account = await newAccount(registry);
      const other = await newAccount(registry);
      const datasets = {
        user: datasetOf(account, 'user'),
        item: datasetOf(account, 'item'),
        event: datasetOf(account, 'event'),
      };
      for (const dataset of Object.values(datasets)) await registry.datasets.create(dataset);
      const foreign = datasetOf(other, 'item');
      await registry.datasets.create(foreign);

      assert.equal(
        await registry.projects.create(projectOf(account, { ...datasets, item: foreign })),
        'missing-dataset',
      );
      assert.equal(
        await registry.projects.create(projectOf(account, { ...datasets, item: datasets.user })),
        'missing-dataset',
      );
      const project = projectOf(account, datasets);
      assert.equal(await registry.projects.create(project), 'created');
      assert.deepEqual(await registry.projects.get(account.account_id, project.project_id), project);
      assert.equal(await registry.projects.get(other.account_id, project.project_id), null);
      for (const { kind, dataset_id } of Object.values(datasets)) {
        assert.equal(await registry.datasets.delete(account.account_id, kind, dataset_id), 'in-use');
      }

      const algorithm = {
        account_id: account.account_id,
        project_id: project.project_id,
        algorithm_id: newId('algorithm'),
        name: 'auto',
        algorithm_type: 'G1' as const,
        algorithm_parameters: { seed: 1 },
        created_ts: 5,
      };
      assert.equal(await registry.algorithms.create(algorithm), 'created');
      assert.equal(await registry.algorithms.create({ ...algorithm, account_id: other.account_id }), 'missing-project');
      assert.deepEqual((await registry.algorithms.list(account.account_id, project.project_id, FIRST_PAGE)).entries, [
        algorithm,
      ]);
      assert.equal(await registry.algorithms.get(other.account_id, project.project_id, algorithm.algorithm_id), null);

      assert.equal(await registry.projects.delete(other.account_id, project.project_id), null);
      const deleted = await registry.projects.delete(account.account_id, project.project_id);
      assert.deepEqual(typeof deleted === 'object' && deleted?.project, project);
      assert.equal(await registry.algorithms.get(account.account_id, project.project_id, algorithm.algorithm_id), null);
      assert.deepEqual(
        await registry.datasets.delete(account.account_id, 'item', datasets.item.dataset_id),
        datasets.item,
      );
    });
  });
}

function accountOf(change: Partial<Account> = {}): Account {
  const account_id = newId('account');
  return {
    account_id,
    name: account_id,
    plan: DEFAULT_PLAN,
    disabled: false,
    created_ts: Date.now(),
    training_hours: 0,
    default_project_id: null,
    ...change,
  };
}

function rotationTo(secret: string) {
  const now = Date.now();
  return { secret_hash: hashSecret(secret), rotated_ts: now, previous_until_ts: now + 30_000 };
}

function keyOf(account: Account): ApiKey {
  return newCredentials(account.account_id, { name: 'first', scopes: ['*'] }).key;
}

async function newAccount(registry: Store, plan: Partial<Account['plan']> = {}): Promise<Account> {
  const account = accountOf({ plan: { ...DEFAULT_PLAN, ...plan } });
  assert.equal(await registry.accounts.create(account, keyOf(account)), 'created');
  return account;
}

function datasetOf(account: Account, kind: DatasetKind, change: Partial<Dataset> = {}): Dataset {
  return {
    account_id: account.account_id,
    dataset_id: newId(kind),
    kind,
    name: 'data',
    num_shards: 10,
    attribute_schema: null,
    created_ts: Date.now(),
    num_records: 0,
    ...change,
  };
}

function projectOf(account: Account, datasets: Record<DatasetKind, Dataset>): Project {
  return {
    account_id: account.account_id,
    project_id: newId('project'),
    name: 'shop',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    user_dataset_id: datasets.user.dataset_id,
    item_dataset_id: datasets.item.dataset_id,
    event_dataset_id: datasets.event.dataset_id,
    target_event_type: 'purchase',
    created_ts: Date.now(),
  };
}
