// This version on the data of every kept release (test/fixtures/releases), on SQLite and on PostgreSQL: what was stored is read,
// served, trained on and deployed. The service's clock is set by when the release stopped, so a kept release never gets too old.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Job, type Kindred, KindredError } from '../../src/client/index.ts';
import { clockSkewEnv } from '../support/clock-skew.ts';
import { comparable } from '../support/comparable-response.ts';
import { clientOf } from '../support/fill-release.ts';
import { assertReadsTheSame } from '../support/kept-answers.ts';
import { keptReleases, readKeptRelease, unpackKeptRelease } from '../support/kept-release.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { DIALECTS, type TestPlace } from '../support/test-database.ts';

const HOUR_MS = 3_600_000;
const GENRES = ['drama', 'comedy', 'horror', 'western'];
const DELETED_ITEM = 'drama-00';

for (const release of keptReleases()) {
  for (const dialect of DIALECTS) {
    describe(`upgrade from ${release} on ${dialect}`, () => {
      const kept = readKeptRelease(release, dialect);
      const { project_id, item_dataset_id, event_dataset_id } = kept.ids;
      let place: TestPlace;
      let service: ServiceProcess;
      let shop: Kindred;
      let second: Kindred;

      /** Starts the service as if that long after the release stopped. */
      const start = async (afterMs: number): Promise<void> => {
        service = await startServiceProcess({
          KINDRED_ROLES: 'api,worker',
          KINDRED_LOG_LEVEL: 'warn',
          ...place.env,
          ...clockSkewEnv(kept.stopped_ts + afterMs - Date.now()),
        });
        shop = clientOf(service.baseUrl, kept.accounts.default);
        second = clientOf(service.baseUrl, kept.accounts.second);
      };
      before(async () => {
        place = await unpackKeptRelease(release, dialect);
        await start(HOUR_MS);
      });
      after(async () => {
        // Either is missing if this version could not open the data.
        await service?.stop();
        await place?.remove();
      });

      const finish = async (submitted: Promise<{ job_id: string }>): Promise<Job> =>
        shop.waitForJob({ project_id, job_id: (await submitted).job_id }, { maxPollMs: 100 });
      const recommend = async (
        user_id: string,
        more: { limit?: number; model_id?: string } = {},
      ): Promise<string[]> => {
        const { results } = await shop.recommendItemsToUser({ project_id, user_id, ...more });
        return results.map(({ item }) => item.item_id);
      };
      const assertLikes = (items: readonly string[], genre: string): void => {
        const own = items.filter((item) => item.startsWith(genre)).length;
        assert.ok(own > items.length / 2, `more than half of ${items.join(' ')} are ${genre}`);
      };
      const linkOf = async (job_id: string): Promise<string> =>
        String((await shop.getJob({ project_id, job_id })).job_result!.download_url);

      test('it starts, and credentials keep their rights', async () => {
        assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200);
        assert.equal((await shop.getProject({ project_id })).name, 'shop');
        await assert.rejects(second.getProject({ project_id }), { code: 'PROJECT_NOT_FOUND' });
        const revoked = clientOf(service.baseUrl, kept.accounts.revoked);
        await assert.rejects(revoked.getAccount(), (error) => error instanceof KindredError && error.status === 401);
      });

      test('datasets, records, projects, algorithms, models and jobs read as before', async () => {
        for (const response of kept.answers) await assertReadsTheSame({ default: shop, second }, response);
      });

      test('the deployed model recommends full lists to known and new users', async () => {
        for (const genre of GENRES) {
          const items = await recommend(`${genre}-fan-02`);
          assert.equal(new Set(items).size, 10);
          assertLikes(items, genre);
        }
        for (const user of ['newcomer', 'never seen']) assert.equal(new Set(await recommend(user)).size, 10);
        const { results } = await shop.recommendItemsToUser({
          project_id,
          user_id: 'drama-fan-05',
          limit: 5,
          attributes: ['title', 'price'],
          filter_query: "genre = 'western' AND price < 8",
        });
        assert.equal(results.length, 5);
        for (const { item } of results) {
          assert.match(String(item.title), /^Übung western/);
          assert.ok(Number(item.price) < 8);
        }
      });

      test('a call without a project uses the deployed one', async () => {
        assert.equal((await shop.getAccount()).default_project_id, project_id);
        const [bare, named] = await Promise.all([
          shop.recommendItemsToUser({ user_id: 'drama-fan-02' }),
          shop.recommendItemsToUser({ user_id: 'drama-fan-02', project_id }),
        ]);
        assert.deepEqual(comparable(bare), comparable(named));
        assert.equal((await second.getAccount()).default_project_id, null);
      });

      test('an item that was deleted before the upgrade is not recommended', async () => {
        const { results } = await shop.recommendItemsToUser({
          project_id,
          user_id: 'drama-fan-01',
          limit: 500,
          exclude_seen: false,
        });
        assert.equal(results.length, (await shop.getItemDataset({ item_dataset_id })).num_records);
        assert.ok(results.every(({ item }) => item.item_id !== DELETED_ITEM));
      });

      test('recommendations are explained', async () => {
        const { results } = await shop.recommendItemsToUser({ project_id, user_id: 'horror-fan-03', explain: true });
        assert.equal(results.length, 10);
        for (const { score, reasons } of results) {
          assert.equal(typeof score, 'number');
          assert.ok(reasons!.length > 0);
        }
        assert.ok(results.some(({ reasons }) => reasons!.some(({ item_id }) => item_id?.startsWith('horror'))));
      });

      test('results of finished jobs can be downloaded for a day', async () => {
        for (const job_id of [kept.ids.querying_job_id, kept.ids.clustering_job_id]) {
          const download_url = await linkOf(job_id);
          assert.equal((await shop.downloadResult({ download_url })).job_id, job_id);
          assert.match(await shop.downloadResult({ download_url }, 'csv'), /drama-fan-/);
          assert.match(await shop.downloadResult({ download_url }, 'svg'), /^<svg /);
        }
      });

      test('a new event changes the next response', async () => {
        const user_id = 'never seen';
        const before = await recommend(user_id);
        const events = ['western-03', 'western-05'].map((item_id, n) => ({
          event_id: `new-${n}`,
          user_id,
          item_id,
          ts: kept.stopped_ts + n,
          event_type: 'purchase',
        }));
        const { succeed_ids } = await shop.upsertDatasetEvents({ event_dataset_id, events });
        assert.deepEqual(succeed_ids, ['new-0', 'new-1']);
        const items = await recommend(user_id);
        assert.notDeepEqual(items, before);
        assertLikes(items, 'western');
      });

      test('querying and clustering jobs run on models of the release', async () => {
        const { model_id, other_model_id } = kept.ids;
        const querying = await finish(
          shop.submitQueryingJob({
            project_id,
            model_id: other_model_id,
            query_type: 'user_distribution',
            queries: [{ attribute: 'genre', value: 'comedy', bins: 4 }],
          }),
        );
        assert.match(await shop.downloadResult(querying, 'svg'), /^<svg /);
        const clustering = await finish(
          shop.submitClusteringJob({ project_id, model_id, cluster_type: 'user', parameters: { min_user_num: 2 } }),
        );
        assert.match(await shop.downloadResult(clustering, 'csv'), /comedy-fan-/);
      });

      test('a new model is trained with an algorithm of the release and takes over', async () => {
        const { algorithm_id, model_id: old_model_id, other_model_id } = kept.ids;
        const trained = await finish(shop.submitTrainingJob({ project_id, algorithm_id, name: 'after the upgrade' }));
        const model_id = String(trained.job_result!.model_id);
        await finish(shop.submitDeploymentJob({ project_id, generator_model_id: model_id, qps: 50 }));
        const { models } = await shop.listModels({ project_id });
        assert.deepEqual(
          models.map((model) => [model.model_id, model.deployed]),
          [
            [model_id, true],
            [other_model_id, false],
            [old_model_id, false],
          ],
        );
        assertLikes(await recommend('comedy-fan-08'), 'comedy');
        assertLikes(await recommend('comedy-fan-08', { model_id: old_model_id }), 'comedy');
      });

      test('after the next restart the new model serves, and old links have expired', async () => {
        await service.terminate();
        await start(48 * HOUR_MS);
        assertLikes(await recommend('never seen'), 'western');
        assert.equal((await shop.getDeployment({ project_id })).version, 2);
        const response = await fetch(await linkOf(kept.ids.querying_job_id));
        assert.equal(response.status, 410);
        assert.equal(((await response.json()) as { code: string }).code, 'LINK_EXPIRED');
      });
    });
  }
}
