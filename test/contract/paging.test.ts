// Every list of a project, page by page, on every database: each entry once, the newest first, and nothing of another project.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Experiment } from '../../src/domain/experiment.ts';
import type { JobType } from '../../src/domain/job.ts';
import type { Model } from '../../src/domain/model.ts';
import type { Project } from '../../src/domain/project.ts';
import type { Lease } from '../../src/store/job-queue.ts';
import type { JobFilter } from '../../src/store/job-store.ts';
import type { Page, PageRequest } from '../../src/store/page.ts';
import type { Store } from '../../src/store/store.ts';
import { versionOf } from '../support/filled-account.ts';
import { newId, newJob } from '../support/new-ids.ts';
import { makeAccount, makeEvent, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';

/** Some of the same moment: they are in the order of their ids. */
const TIMES = [1000, 2000, 2000, 2000, 3000];
const PAGE_SIZES = [1, 2, 3, 1000];

interface Entry {
  readonly id: string;
  readonly ts: number;
}

const newestFirst = (entries: readonly Entry[]): string[] =>
  entries.toSorted((a, b) => b.ts - a.ts || (a.id < b.id ? 1 : -1)).map(({ id }) => id);

/** Runs `write` after the first read of `work`. */
async function afterFirstRead<T>(store: Store, write: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const { database } = store;
  const read = database.all;
  database.all = async <R>(...given: Parameters<typeof read>) => {
    database.all = read;
    const rows = await database.all<R>(...given);
    await write();
    return rows;
  };
  try {
    return await work();
  } finally {
    database.all = read;
  }
}

for (const dialect of DIALECTS) {
  describe(`paging on ${dialect}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let account_id: string;
    let project: Project;
    let other: Project;

    before(async () => {
      ({ store, close } = await openTestStore(dialect));
      account_id = await makeAccount(store);
      [project, other] = [await makeProject(store, account_id), await makeProject(store, account_id)];
    });
    after(() => close());

    async function isPaged<T>(
      list: (page: PageRequest) => Promise<Page<T>>,
      idOf: (entry: T) => string,
      made: readonly Entry[],
    ): Promise<void> {
      for (const page_size of PAGE_SIZES) {
        const ids: string[] = [];
        for (let page_token: string | null = null, pages = 0; page_token !== null || pages === 0; pages++) {
          const page = await list({ page_size, page_token });
          assert.ok(page.entries.length <= page_size && pages <= made.length);
          ids.push(...page.entries.map(idOf));
          page_token = page.next_page_token;
        }
        assert.deepEqual(ids, newestFirst(made), `pages of ${page_size}`);
      }
    }

    /** Makes one of each time in both projects, and returns those of the first. */
    async function inBoth(make: (owner: Project, ts: number) => Promise<string>): Promise<Entry[]> {
      for (const ts of TIMES) await make(other, ts);
      const made: Entry[] = [];
      for (const ts of TIMES) made.push({ id: await make(project, ts), ts });
      return made;
    }

    test('algorithms', async () => {
      const made = await inBoth(async ({ project_id }, created_ts) => {
        const algorithm = { account_id, project_id, algorithm_id: newId('algorithm'), name: 'a', created_ts };
        await store.algorithms.create({ ...algorithm, algorithm_type: 'G1', algorithm_parameters: {} });
        return algorithm.algorithm_id;
      });
      const { project_id } = project;
      for (const { id, ts } of made) {
        const { algorithm_id, created_ts } = (await store.algorithms.get(account_id, project_id, id))!;
        assert.deepEqual([algorithm_id, created_ts], [id, ts]);
      }
      await isPaged(
        (page) => store.algorithms.list(account_id, project_id, page),
        (one) => one.algorithm_id,
        made,
      );
    });

    test('placements and their versions', async () => {
      let names = 0;
      const made = await inBoth(async ({ project_id }, created_ts) => {
        const name = `p${names++}`;
        await store.placements.create({ account_id, project_id, name, created_ts, current: versionOf(1) });
        return name;
      });
      const { project_id: projectId } = project;
      await isPaged(
        (page) => store.placements.list(account_id, projectId, page),
        ({ name }) => name,
        made,
      );
      const named = { accountId: account_id, projectId, name: made[0].id };
      for (let version = 2; version <= 5; version++) await store.placements.change(named, versionOf(version));
      await isPaged(
        (page) => store.placements.versions(named, page),
        ({ version }) => String(version),
        [1, 2, 3, 4, 5].map((version) => ({ id: String(version), ts: version })),
      );
    });
    test('experiments, also of one placement', async () => {
      const placements = ['first', 'second'];
      for (const { project_id } of [project, other]) {
        for (const name of placements) {
          await store.placements.create({ account_id, project_id, name, created_ts: 1, current: versionOf(1) });
        }
      }
      const ofPlacement = (placement: string) =>
        inBoth(async ({ project_id }, created_ts) => {
          const experiment: Experiment = {
            account_id,
            project_id,
            experiment_id: newId('experiment'),
            name: 'e',
            placement,
            metric: 'click',
            variants: [],
            min_days: 1,
            status: 'RUNNING',
            created_ts,
            stopped_ts: null,
            promoted: null,
            decided: null,
          };
          assert.equal(typeof (await store.experiments.create(experiment)), 'number');
          assert.ok(await store.experiments.stop(experiment, { nowMs: 9, promote: null }));
          return experiment.experiment_id;
        });
      const made = [await ofPlacement('first'), await ofPlacement('second')];
      const list = (placement?: string) => (page: PageRequest) =>
        store.experiments.list(account_id, project.project_id, placement, page);
      for (const [n, name] of placements.entries()) await isPaged(list(name), (one) => one.experiment_id, made[n]);
      await isPaged(list(), (one) => one.experiment_id, made.flat());
    });

    test('models', async () => {
      const made = await inBoth(async ({ project_id }, created_ts) => {
        const job = newJob({ account_id, project_id, job_type: 'TRAINING', job_data: {} });
        await store.jobs.submit(job);
        const { lease } = (await store.queue.claim('worker', ['TRAINING'], Date.now()))!;
        const model: Model = {
          account_id,
          project_id,
          model_id: newId('model'),
          name: 'm',
          algorithm_type: 'G1',
          created_ts,
          algorithm_parameters: {},
          job_id: job.job_id,
          artifact_key: job.job_id,
          metrics: null,
          training: {},
        };
        assert.ok(await store.queue.finish(lease, { result: {}, model }, Date.now()));
        return model.model_id;
      });
      const { project_id } = project;
      await isPaged(
        (page) => store.models.list(account_id, project_id, page),
        (one) => one.model_id,
        made,
      );
    });

    test('jobs, with and without a type and a status, and never their parts', async () => {
      const account_id = await makeAccount(store);
      const [one, two] = [await makeProject(store, account_id), await makeProject(store, account_id)];
      const made: (Entry & { filter: Required<JobFilter> })[] = [];
      const submit = async ({ project_id }: Project, job_type: JobType, ts: number): Promise<void> => {
        const job = newJob({ account_id, project_id, job_type, job_data: {} }, ts);
        assert.equal(await store.jobs.submit(job), 'submitted');
        made.push({ id: job.job_id, ts, filter: { project_id, job_type, job_status: 'PENDING' } });
      };
      for (const owner of [one, two]) {
        for (const job_type of ['QUERYING', 'EXPORT'] as const) {
          for (const ts of TIMES) await submit(owner, job_type, ts);
        }
      }
      const cut: Lease[] = [];
      // Half of each kind is cut into parts: it runs, and its parts wait.
      for (const job_type of ['QUERYING', 'EXPORT'] as const) {
        for (const _ of TIMES) {
          const claimed = (await store.queue.claim('worker', [job_type], Date.now()))!;
          made.find(({ id }) => id === claimed.lease.jobId)!.filter.job_status = 'RUNNING';
          cut.push(claimed.lease);
        }
      }
      for (const lease of cut) assert.ok(await store.queue.split(lease, [{}, {}]));
      const filters: JobFilter[] = [{}, { job_status: 'PENDING' }, { job_type: 'EXPORT' }];
      const queries = (['PENDING', 'RUNNING'] as const).map((job_status) => ({
        job_type: 'QUERYING' as const,
        job_status,
      }));
      filters.push({ job_status: 'RUNNING' });
      for (const project_id of [one.project_id, two.project_id]) {
        for (const more of [...filters.slice(0, 4), ...queries]) {
          filters.push({ project_id, ...more });
        }
      }
      for (const filter of filters) {
        const wanted = made.filter((entry) =>
          Object.entries(filter).every(([name, value]) => entry.filter[name as keyof JobFilter] === value),
        );
        await isPaged(
          (page) => store.jobs.list(account_id, filter, page),
          (job) => job.job_id,
          wanted,
        );
      }
    });
    test('decisions of automation', async () => {
      const made = await inBoth(async ({ project_id }, ts) => {
        const id = newId('decision');
        await store.database.atomic([
          {
            sql: `INSERT INTO automation_decision (decision_id, account_id, project_id, created_ts, training_job_id, model_id,
                    decision, reason) VALUES (?, ?, ?, ?, ?, 'mdl_1', 'keep', 'It is.')`,
            params: [id, account_id, project_id, ts, id],
          },
        ]);
        return id;
      });
      const list = (page: PageRequest) => store.automation.decisions(account_id, project.project_id, page);
      await isPaged(list, (one) => one.decision_id, made);
    });

    test('what is written while a page is read moves no entry off its page', async () => {
      const { account_id, project_id, event_dataset_id } = await makeProject(store, await makeAccount(store));
      const dataset = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
      const ids: string[] = [];
      const write = async (): Promise<void> => {
        const job = newJob({ account_id, project_id, job_type: 'EXPORT', job_data: {} }, ids.length);
        assert.equal(await store.jobs.submit(job), 'submitted');
        await store.events.upsert(dataset, [makeEvent({ event_id: job.job_id, user_id: 'u', ts: ids.length })]);
        ids.push(job.job_id);
      };
      for (const _ of TIMES) await write();
      const lists: ((page: PageRequest) => Promise<Page<{ job_id: string } | { event_id: string }>>)[] = [
        (page) => store.jobs.list(account_id, {}, page),
        (page) => store.events.list(event_dataset_id, page),
        (page) => store.events.list(event_dataset_id, page, 'u'),
      ];
      for (const list of lists) {
        for (const page_size of [2, 100]) {
          const before = ids.toReversed();
          const found: string[] = [];
          for (let page_token: string | null = null, isFirst = true; page_token !== null || isFirst; isFirst = false) {
            const page: Page<{ job_id: string } | { event_id: string }> = await afterFirstRead(store, write, () =>
              list({ page_size, page_token }),
            );
            found.push(...page.entries.map((one) => ('job_id' in one ? one.job_id : one.event_id)));
            page_token = page.next_page_token;
          }
          assert.deepEqual(
            found.filter((id) => before.includes(id)),
            before,
          );
        }
      }
    });

    test('projects, datasets and the audit log of an account', async () => {
      const accountId = await makeAccount(store);
      const own = await makeProject(store, accountId);
      const projects: Entry[] = [{ id: own.project_id, ts: own.created_ts }];
      const ownItems = (await store.datasets.get(accountId, 'item', own.item_dataset_id))!;
      const datasets: Entry[] = [{ id: own.item_dataset_id, ts: ownItems.created_ts }];
      const entries: Entry[] = [];
      for (const ts of TIMES) {
        const project_id = newId('project');
        assert.equal(await store.projects.create({ ...own, project_id, created_ts: ts }), 'created');
        projects.push({ id: project_id, ts });
        for (const kind of ['user', 'item'] as const) {
          const dataset_id = newId(kind);
          assert.equal(await store.datasets.create({ ...ownItems, kind, dataset_id, created_ts: ts }), 'created');
          if (kind === 'item') datasets.push({ id: dataset_id, ts });
        }
        const entry_id = newId('audit');
        await store.audit.append([
          {
            entry_id,
            account_id: accountId,
            created_ts: ts,
            last_ts: ts,
            actor_kind: 'key',
            actor_id: 'key_1',
            actor_name: null,
            operation: '/projects/update',
            object_id: null,
            summary: 's',
            calls: 1,
            records: 0,
            request_id: null,
          },
        ]);
        entries.push({ id: entry_id, ts });
      }
      await isPaged(
        (page) => store.projects.list(accountId, page),
        (one) => one.project_id,
        projects,
      );
      await isPaged(
        (page) => store.datasets.list(accountId, 'item', page),
        (one) => one.dataset_id,
        datasets,
      );
      for (const filter of [{}, { from_ts: 0, actor_id: 'key_1' }]) {
        await isPaged(
          (page) => store.audit.list(accountId, filter, page),
          (one) => one.entry_id,
          entries,
        );
      }
    });
  });
}
