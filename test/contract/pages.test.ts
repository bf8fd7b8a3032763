// Lists on every database: a page is bounded in bytes, also where rows are larger than they could be written today.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Algorithm, Project } from '../../src/domain/project.ts';
import { MAX_PAGE_BYTES, type Page } from '../../src/store/page.ts';
import type { Store } from '../../src/store/store.ts';
import { newId, newJob } from '../support/new-ids.ts';
import { makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

const MIB = 1024 * 1024;

for (const dialect of DIALECTS) {
  describe(`pages on ${dialect}`, () => {
    let close: () => Promise<void>;
    let store: Store;
    let account_id: string;
    let project: Project;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      account_id = await makeAccount(store);
      project = {
        account_id,
        project_id: newId('project'),
        name: 'p',
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        user_dataset_id: (await makeDataset(store, account_id, 'user')).dataset_id,
        item_dataset_id: (await makeDataset(store, account_id, 'item')).dataset_id,
        event_dataset_id: (await makeDataset(store, account_id, 'event')).dataset_id,
        target_event_type: 'view',
        created_ts: Date.now(),
      };
      assert.equal(await store.projects.create(project), 'created');
    });
    after(() => close());

    /** Pages through a list, checks the size of every page, and returns the ids in order. */
    async function walk<T>(
      list: (page_token: string | null) => Promise<Page<T>>,
      idOf: (entry: T) => string,
    ): Promise<{ ids: string[]; pages: number }> {
      const ids: string[] = [];
      let pages = 0;
      for (let token: string | null = null; token !== null || pages === 0; pages++) {
        const page: Page<T> = await list(token);
        assert.ok(page.entries.length > 0 && pages < 100);
        const bytes = Buffer.byteLength(JSON.stringify(page.entries));
        assert.ok(bytes < MAX_PAGE_BYTES + 64 * 1024, `a page of ${page.entries.length} entries has ${bytes} bytes`);
        ids.push(...page.entries.map(idOf));
        token = page.next_page_token;
      }
      return { ids, pages };
    }

    it('ends a page of large records early, and misses none', async () => {
      const dataset = await makeDataset(store, account_id, 'item');
      const records = Array.from({ length: 30 }, (_, n) => ({
        id: `i${n}`,
        attributes: { text: 'é'.repeat(n % 3 === 0 ? 400_000 : 10), n },
      }));
      for (let from = 0; from < 30; from += 10) await store.items.upsert(dataset, records.slice(from, from + 10));
      for (const search of [undefined, 'i']) {
        const list = (page_token: string | null) =>
          store.items.list(dataset.dataset_id, { page_size: 1000, page_token }, search);
        const { ids, pages } = await walk(list, ({ id }) => id);
        assert.deepEqual(ids, records.map(({ id }) => id).reverse());
        assert.equal(pages, 2);
      }
      const small = { page_size: 5, page_token: null, max_bytes: 1 };
      assert.deepEqual((await store.items.list(dataset.dataset_id, small)).entries, [records[29]], 'one fits always');
    });

    it('ends a page of large events early, of all users and of one', async () => {
      const dataset = await makeDataset(store, account_id, 'event');
      const events = Array.from({ length: 500 }, (_, n) =>
        makeEvent({ event_id: `e${n}`, user_id: 'u', ts: n, attributes: { text: 'x'.repeat(19_000) } }),
      );
      await store.events.upsert(dataset, events);
      for (const user of [undefined, 'u']) {
        const list = (page_token: string | null) =>
          store.events.list(dataset.dataset_id, { page_size: 1000, page_token }, user);
        const { ids, pages } = await walk(list, ({ event_id }) => event_id);
        assert.deepEqual(ids, events.map(({ event_id }) => event_id).reverse());
        assert.equal(pages, 3);
      }
    });

    it('lists every event while all of them are written again', async () => {
      const dataset = await makeDataset(store, account_id, 'event');
      const events = Array.from({ length: 300 }, (_, n) => makeEvent({ event_id: `e${n}`, user_id: 'u', ts: n }));
      await store.events.upsert(dataset, events);
      let isListing = true;
      const writing = (async () => {
        while (isListing) await store.events.upsert(dataset, events);
      })();
      try {
        for (const user of [undefined, 'u', undefined, 'u', undefined, 'u']) {
          const list = (page_token: string | null) =>
            store.events.list(dataset.dataset_id, { page_size: 20, page_token }, user);
          const { ids } = await walk(list, ({ event_id }) => event_id);
          assert.deepEqual(ids, events.map(({ event_id }) => event_id).reverse());
        }
      } finally {
        isListing = false;
        await writing;
      }
    });

    it('refuses objects over 64 kB and lists those of an older release that are larger', async () => {
      const algorithmOf = (weights: object): Algorithm => ({
        account_id,
        project_id: project.project_id,
        algorithm_id: newId('algorithm'),
        name: 'a',
        algorithm_type: 'G1',
        algorithm_parameters: { event_type_weights: weights } as never,
        created_ts: Date.now(),
      });
      const weightsOf = (length: number) => ({ ['k'.repeat(length)]: 1 });
      await assert.rejects(store.algorithms.create(algorithmOf(weightsOf(70_000))), { code: 'INVALID_REQUEST' });
      const jobOf = (text: string) =>
        newJob({ account_id, project_id: project.project_id, job_type: 'QUERYING', job_data: { text } } as never);
      await assert.rejects(store.jobs.submit(jobOf('x'.repeat(70_000))), { code: 'INVALID_REQUEST' });
      const wide = Object.fromEntries(
        Array.from({ length: 700 }, (_, n) => [`${n}`.padEnd(100, 'n'), 'NUMERICAL' as const]),
      );
      const { dataset_id } = await makeDataset(store, account_id, 'user');
      const widen = store.datasets.update(account_id, 'user', dataset_id, { attribute_schema: wide });
      await assert.rejects(widen, { code: 'INVALID_REQUEST' });

      const made: string[] = [];
      const jobs: string[] = [];
      for (let n = 0; n < 100; n++) {
        const algorithm = algorithmOf(weightsOf(60_000));
        assert.equal(await store.algorithms.create(algorithm), 'created');
        made.push(algorithm.algorithm_id);
        const job = jobOf('x'.repeat(60_000));
        assert.equal(await store.jobs.submit(job), 'submitted');
        jobs.push(job.job_id);
      }
      // Nothing limited them in the first release.
      const giant = JSON.stringify({ event_type_weights: weightsOf(30 * MIB) });
      await store.database.atomic([
        {
          sql: 'UPDATE algorithm SET algorithm_parameters = ? WHERE algorithm_id IN (?, ?)',
          params: [giant, made[3], made[50]],
        },
        { sql: 'UPDATE job SET job_data = ? WHERE job_id = ?', params: [giant, jobs[50]] },
      ]);
      const listAlgorithms = (page_token: string | null) =>
        store.algorithms.list(account_id, project.project_id, { page_size: 1000, page_token });
      const algorithms = await walk(listAlgorithms, ({ algorithm_id }) => algorithm_id);
      assert.deepEqual(algorithms.ids.sort(), made.sort());
      const listJobs = (page_token: string | null) =>
        store.jobs.list(account_id, { project_id: project.project_id }, { page_size: 1000, page_token });
      assert.deepEqual((await walk(listJobs, ({ job_id }) => job_id)).ids.sort(), jobs.sort());
      assert.ok(await store.algorithms.get(account_id, project.project_id, made[50]));
    });
  });
}
