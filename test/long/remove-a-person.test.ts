// A person is removed with two calls: afterwards neither the disk, the tables, a backup nor a result that can still be downloaded
// holds the id or an attribute. On every database, with results of querying and clustering jobs, also of a job that is running.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { backup } from '../../src/store/backup.ts';
import { eventually } from '../support/eventually.ts';
import { filesWith } from '../support/grep-folder.ts';
import { tablesWith } from '../support/grep-tables.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const PERSON = 'person-who-asked-to-be-forgotten';
const SECRET = 'lives-in-the-last-house';
const TEXTS = [PERSON, SECRET];
const EVERYBODY = [{ conditions: [{ attribute: 'genre', value: 'Drama', lower_bound: 0 }] }];

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`removing a person on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    let model_id: string;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createTasteProject(service);
      await addPerson();
      const { project_id, algorithm_id } = project;
      const { job_result } = await succeed(service, '/submit-training-job', { project_id, algorithm_id, name: 'm' });
      model_id = job_result.model_id;
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    async function addPerson(): Promise<void> {
      const { user_dataset_id, event_dataset_id } = project;
      const users = [{ user_id: PERSON, attributes: { home: SECRET } }];
      await service.ok('POST', '/upsert-dataset-users', { user_dataset_id, users });
      const events = ['i0', 'i3', 'i6'].map((item_id, n) => ({
        event_id: `${PERSON}/${n}`,
        user_id: PERSON,
        item_id,
        ts: 1_700_000_000_000 + n,
        event_type: 'buy',
        attributes: { from: SECRET },
      }));
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
    }

    async function removePerson(): Promise<void> {
      const { user_dataset_id, event_dataset_id } = project;
      await service.ok('DELETE', '/delete-dataset-users', { user_dataset_id, user_ids: [PERSON] });
      await service.ok('DELETE', '/delete-dataset-user-events', { event_dataset_id, user_id: PERSON });
    }

    const submitQuery = () => ({
      project_id: project.project_id,
      model_id,
      query_type: 'user_list',
      queries: EVERYBODY,
    });
    const download = async (job: { job_result: { download_url: string } }, format: string): Promise<string> =>
      (await fetch(`${job.job_result.download_url}&format=${format}`)).text();
    const found = async (): Promise<string[]> => [
      ...filesWith(place.dataDir, TEXTS),
      ...(place.databaseUrl ? await tablesWith(place.databaseUrl, TEXTS) : []),
    ];

    test('nothing is left in files, tables, a backup or results, and the rest of the results stays', async () => {
      const { project_id } = project;
      const listed = await succeed(service, '/submit-querying-job', submitQuery());
      const grouped = await succeed(service, '/submit-clustering-job', { project_id, model_id, cluster_type: 'user' });
      for (const job of [listed, grouped])
        for (const format of ['json', 'csv']) assert.ok((await download(job, format)).includes(PERSON));
      const before = JSON.parse(await download(listed, 'json'));

      await removePerson();
      for (const job of [listed, grouped])
        for (const format of ['json', 'csv', 'svg']) assert.ok(!(await download(job, format)).includes(PERSON), format);
      const after = JSON.parse(await download(listed, 'json'));
      const isPerson = ({ user_id }: { user_id: string }) => user_id === PERSON;
      before.queries[0].users.find(isPerson).user_id = '[deleted]';
      assert.deepEqual(after, before);
      assert.match(await download(grouped, 'csv'), /^\[deleted\],/m);

      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), []);
      await backup(place, join(place.dataDir, 'backup.tar'));
      const bytes = readFileSync(join(place.dataDir, 'backup.tar'));
      for (const text of TEXTS) assert.ok(!bytes.includes(text), `the backup holds ${text}`);
    });

    test('a job that runs while a person is removed publishes nothing about them', async () => {
      await addPerson();
      const jobs = await Promise.all(
        Array.from({ length: 3 }, () => service.ok('POST', '/submit-querying-job', submitQuery())),
      );
      const states = async () =>
        Promise.all(
          jobs.map(({ job_id }) => service.ok('GET', '/get-job', { project_id: project.project_id, job_id })),
        );
      while ((await states()).every(({ job_status }) => job_status === 'PENDING')) await sleep(5);
      await removePerson();
      let ended = await states();
      while (ended.some(({ job_status }) => ['PENDING', 'RUNNING'].includes(job_status))) {
        await sleep(100);
        ended = await states();
      }
      for (const job of ended) {
        assert.equal(job.job_status, 'SUCCEED');
        for (const format of ['json', 'csv']) assert.ok(!(await download(job, format)).includes(PERSON));
      }
      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), []);
    });

    test('results of a deleted project are gone, so that a person who is removed later is in none', async () => {
      await addPerson();
      const listed = await succeed(service, '/submit-querying-job', submitQuery());
      for (const format of ['json', 'csv']) assert.ok((await download(listed, format)).includes(PERSON));
      await service.ok('DELETE', '/delete-project', { project_id: project.project_id });
      for (const format of ['json', 'csv', 'svg']) assert.match(await download(listed, format), /RESULT_NOT_FOUND/);
      await removePerson();
      await eventually(async () => (await found()).length === 0);
      assert.deepEqual(await found(), []);
    });
  });
}
