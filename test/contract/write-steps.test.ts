// What a trace shows of a write: the steps that ARCHITECTURE.md names, on every database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PastStep } from '../../src/base/trace.ts';
import { RecommendationIds } from '../../src/outcomes/recommendation-id.ts';
import { makeAccount, makeEvent, makeProject } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';
import { traceWrites } from '../support/write-trace.ts';

const namesOf = (steps: readonly PastStep[]): string[] =>
  steps.flatMap(({ name, steps: inner }) => [name, ...namesOf(inner)]);

for (const dialect of DIALECTS) {
  describe(`steps of a write on ${dialect}`, () => {
    test('a write has a span for its group and for each step inside it, also when two run together', async () => {
      const { store, close } = await openTestStore(dialect);
      try {
        const project = await makeProject(store, await makeAccount(store));
        const dataset = (await store.datasets.get(project.account_id, 'event', project.event_dataset_id))!;
        const origin = { accountId: project.account_id, projectId: project.project_id, modelId: null };
        const list = new RecommendationIds('a secret').make(
          { ...origin, placement: 'home', variant: null },
          { items: 3, userId: 'u' },
          Date.now(),
        );
        const write = (event_id: string) =>
          store.events.upsert(dataset, [makeEvent({ event_id, user_id: 'u', item_id: 'i', recommendation_id: list })]);
        const traces = await traceWrites(['e0', 'e1'].map((id) => () => write(id)));
        for (const told of traces) {
          const [group] = told;
          assert.equal(group.name, 'write group');
          const names = namesOf(group.steps);
          for (const name of ['write rows', 'count top lists', 'count outcomes']) {
            assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
          }
          assert.ok(group.endedMs >= group.startedMs && group.endedMs > 0);
        }
        await write('e2');
        assert.equal(traces[0].length, 1, 'a write without a trace tells nobody');
      } finally {
        await close();
      }
    });
  });
}
