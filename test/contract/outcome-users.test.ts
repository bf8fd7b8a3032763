// Users of experiments on every database: each counts once, and what is kept about them goes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { userHash } from '../../src/domain/id-hash.ts';
import { outcomeStage } from '../support/outcome-stage.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`users of experiments on ${dialect}`, () => {
    const stage = outcomeStage(dialect);
    const { start, list, event, shown } = stage;

    test('users of an experiment count once each, with the sums of their values', async () => {
      await start();
      const { account_id: accountId, project_id: projectId } = stage.project;
      const origin = { accountId, projectId, modelId: null, placement: 'home', experimentId: 'exp_1' };
      const visitors = ['a', 'b', 'c'].map((user) => ({
        origin: { ...origin, variant: 'new' },
        userHash: userHash(accountId, user),
      }));
      await stage.store.outcomes.addServed(stage.dataset, {
        batchId: projectId,
        counts: [],
        visitors: [...visitors, ...visitors],
      });
      const [ofA, ofB, ofD] = ['a', 'b', 'd'].map((user) => list({ user, variant: 'new' }));
      await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id: ofA, event_type: 'buy', event_value: 3 }),
        event('e2', { recommendation_id: ofA, event_type: 'buy', event_value: 4, item_id: 'i2' }),
        event('e3', { recommendation_id: ofB }),
        event('e4', { recommendation_id: ofD, event_type: 'buy', event_value: 2, user_id: 'signed-in-later' }),
      ]);
      const expected = { variant: 'new', users: 4, clicked_users: 3, target_users: 2, value_users: 2 };
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...expected, value_sum: 9, value_squares: 49 + 4 },
      ]);
      await stage.store.events.delete(stage.dataset, ['e2', 'e3']);
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...expected, clicked_users: 2, value_sum: 5, value_squares: 9 + 4 },
      ]);
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_2'), []);
    });

    test('a visitor of an experiment who becomes a user stays one visitor, and what is deleted is taken back', async () => {
      await start();
      const { account_id: accountId, project_id: projectId, user_dataset_id } = stage.project;
      const recommendation_id = list({ user: 'visitor', variant: 'new' });
      const forNobody = list({ user: null, variant: 'new' });
      await stage.store.outcomes.addImpressions(stage.dataset, [
        shown(recommendation_id, ['i1', 'i2'], { userId: 'visitor' }),
        shown(forNobody, ['i1'], { userId: 'visitor' }),
      ]);
      await stage.store.events.upsert(stage.dataset, [
        event('e0', { recommendation_id, user_id: 'visitor', item_id: 'i2' }),
      ]);
      const users = (await stage.store.datasets.get(accountId, 'user', user_dataset_id))!;
      await stage.store.mergeUsers({ users, events: stage.dataset }, { from: 'visitor', into: 'u' });
      await stage.store.events.upsert(stage.dataset, [
        event('e1', { recommendation_id, event_type: 'buy', event_value: 3 }),
        event('e2', { recommendation_id: forNobody }),
      ]);
      const one = { variant: 'new', users: 1, clicked_users: 1, target_users: 1, value_users: 1 };
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...one, value_sum: 3, value_squares: 9 },
      ]);
      await stage.store.events.delete(stage.dataset, ['e0', 'e1', 'e2']);
      assert.deepEqual(await stage.store.outcomes.usersOf(projectId, 'exp_1'), [
        { ...one, clicked_users: 0, target_users: 0, value_users: 0, value_sum: 0, value_squares: 0 },
      ]);
    });
  });
}
