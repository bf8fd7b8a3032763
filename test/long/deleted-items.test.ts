// Which items may be recommended while items are imported and deleted: over HTTP, with trained models, on every database.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, ITEMS, succeed, type TasteProject } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

const ALL = Array.from({ length: ITEMS }, (_, n) => `i${n}`);

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`deleted items on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;
    const start = () =>
      startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
    before(async () => {
      place = await newTestPlace(dialect);
      service = await start();
      project = await createTasteProject(service);
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const trainAndDeploy = async () => {
      const { project_id, algorithm_id } = project;
      const { job_result } = await succeed(service, '/submit-training-job', { project_id, algorithm_id, name: 'm' });
      const generator_model_id = job_result.model_id;
      await succeed(service, '/submit-deployment-job', { project_id, generator_model_id, qps: 1000 });
    };
    const remove = (ids: string[]) =>
      service.ok('DELETE', '/delete-dataset-items', { item_dataset_id: project.item_dataset_id, item_ids: ids });
    const upsert = (ids: string[]) =>
      service.ok('POST', '/upsert-dataset-items', {
        item_dataset_id: project.item_dataset_id,
        items: ids.map((item_id) => ({ item_id })),
      });
    const recommended = async (): Promise<string[]> => {
      const { results } = await service.ok('POST', '/recommend-items-to-user', {
        project_id: project.project_id,
        user_id: 'somebody-new',
        limit: 500,
      });
      return results.map(({ item }: { item: { item_id: string } }) => item.item_id).sort();
    };

    test('deleting the last item brings none back, not even after a restart', async () => {
      await trainAndDeploy();
      assert.deepEqual(await recommended(), ALL.toSorted());
      await remove(ALL.slice(1));
      assert.deepEqual(await recommended(), ['i0']);
      await remove(['i0']);
      assert.deepEqual(await recommended(), []);
      await service.stop();
      service = await start();
      assert.deepEqual(await recommended(), []);
      await upsert(['i7']);
      assert.deepEqual(await recommended(), ['i7']);
    });

    test('a model trained again on their events does not bring deleted items back', async () => {
      await trainAndDeploy();
      assert.deepEqual(await recommended(), ['i7']);
    });

    test('without item records all trained items are recommended, and the first item of an import displaces none', async () => {
      const { item_dataset_id } = await service.ok('POST', '/create-item-dataset', { name: 'empty' });
      const { project_id } = await service.ok('POST', '/create-project', {
        name: 'events only',
        project_type: 'RECOMMEND_ITEMS_TO_USER',
        user_dataset_id: project.user_dataset_id,
        item_dataset_id,
        event_dataset_id: project.event_dataset_id,
        target_event_type: 'buy',
      });
      const algorithm = { project_id, name: 'a', algorithm_type: 'G1' };
      const { algorithm_id } = await service.ok('POST', '/create-algorithm', algorithm);
      project = { ...project, project_id, item_dataset_id, algorithm_id };
      await trainAndDeploy();
      assert.deepEqual(await recommended(), ALL.toSorted());
      await upsert(['i3']);
      assert.deepEqual(await recommended(), ALL.toSorted());
      await remove(['i4']);
      assert.deepEqual(
        await recommended(),
        ALL.filter((id) => id !== 'i4').sort(),
        'an item without a record can be deleted too',
      );
    });
  });
}
