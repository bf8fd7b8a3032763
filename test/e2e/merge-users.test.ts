// Merging a visitor into a user over HTTP, on every database: the next recommendation knows it on every node; wrong requests.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, isOfKind, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { DIALECTS_OF_LONG_SUITES, newTestPlace, type TestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS_OF_LONG_SUITES) {
  describe(`merging users over HTTP on ${dialect}`, () => {
    let place: TestPlace;
    let project: TasteProject;
    /** PostgreSQL has a second one. */
    const nodes: TestService[] = [];
    const start = async (roles: string) =>
      nodes.push(
        await startTestService({
          KINDRED_ROLES: roles,
          ...place.env,
        }),
      );

    before(async () => {
      place = await newTestPlace(dialect);
      await start('api,worker');
      if (place.databaseUrl) await start('api');
      project = await createTasteProject(nodes[0]);
      const { modelId } = await plantModel(place, project, tasteModel());
      const { project_id } = project;
      await succeed(nodes[0], '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 10_000 });
    });
    after(async () => {
      for (const node of nodes) await node.stop();
      await place.remove();
    });

    const best = async (node: TestService, user_id: string): Promise<string[]> => {
      const { results } = await node.ok('POST', '/recommend-items-to-user', { user_id, limit: 5 });
      return results.map(({ item }: { item: { item_id: string } }) => item.item_id);
    };
    const merge = (from_user_id: string, into_user_id: string, project_id?: string) =>
      nodes[0].call('POST', '/merge-users', { project_id, from_user_id, into_user_id });

    test('the next list of the user follows the events of the visitor on every node', async () => {
      const events = ['i2', 'i5', 'i8', 'i11'].map((item_id, n) => ({
        event_id: `visit-${n}`,
        user_id: 'visitor',
        item_id,
        ts: Date.now() - n,
        event_type: 'buy',
      }));
      await nodes[0].ok('POST', '/upsert-dataset-events', { event_dataset_id: project.event_dataset_id, events });
      for (const node of nodes) {
        assert.ok((await best(node, 'visitor')).every((id) => isOfKind(id, 2)));
        assert.ok(!(await best(node, 'member')).every((id) => isOfKind(id, 2)));
      }
      const before = await best(nodes[0], 'nobody-yet');
      const { status, body } = await merge('visitor', 'member');
      assert.equal(status, 200);
      assert.deepEqual(body, {
        project_id: project.project_id,
        from_user_id: 'visitor',
        into_user_id: 'member',
        merged_events: 4,
        merged_record: false,
      });
      for (const node of nodes) {
        assert.ok((await best(node, 'member')).every((id) => isOfKind(id, 2)));
        assert.deepEqual(await best(node, 'visitor'), before, 'like somebody nobody knows');
      }
      const again = await merge('visitor', 'member', project.project_id);
      assert.equal(again.status, 200);
      assert.equal(again.body.merged_events, 0);
    });

    test('wrong requests are refused with reasons', async () => {
      const itself = await merge('u1', 'u1');
      assert.equal(itself.status, 400);
      assert.match(itself.body.detail, /cannot be merged into itself/);
      const unknown = await merge('who', 'whom');
      assert.equal(unknown.status, 404);
      assert.equal(unknown.body.code, 'RECORD_NOT_FOUND');
      assert.equal(unknown.body.detail, "User who was not found in the project's datasets, and neither was user whom.");
      assert.ok(unknown.body.detail.includes(unknown.body.errors[0].message), 'clients show the detail alone');
      assert.equal((await merge('u1', 'u2', 'prj_none')).body.code, 'PROJECT_NOT_FOUND');
      assert.equal((await merge('u1', '')).status, 400);
    });
  });
}
