// Fatigue of placements: what was shown too often without an event moves down, and a simulated shop gets more clicks by it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ClickModel } from '../support/shop-simulator/click-model.ts';
import { SimulatedShop } from '../support/shop-simulator/simulate-shop.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';
import { toyModel } from '../support/toy-model.ts';

interface List {
  recommendation_id: string;
  results: { item: { item_id: string } }[];
}

for (const dialect of DIALECTS) {
  describe(`fatigue on ${dialect}`, () => {
    let place: TestPlace;
    let service: TestService;
    let project: TasteProject;

    before(async () => {
      place = await newTestPlace(dialect);
      service = await startTestService({
        KINDRED_ROLES: 'api,worker',
        ...place.env,
      });
      project = await createTasteProject(service);
      const { modelId } = await plantModel(place, project, tasteModel());
      const deployment = { project_id: project.project_id, generator_model_id: modelId };
      await succeed(service, '/submit-deployment-job', deployment);
      for (const [name, fatigue] of [
        ['plain', null],
        ['rested', { after: 3, days: 7 }],
      ]) {
        const definition = { kind: 'for_you', defaults: { limit: 5, objective: 'any' }, fatigue };
        await service.ok('POST', '/create-placement', { project_id: project.project_id, name, ...definition });
      }
    });
    after(async () => {
      await service.stop();
      await place.remove();
    });

    const listOf = (user_id: string, name = 'rested'): Promise<List> =>
      service.ok('POST', `/projects/${project.project_id}/placements/${name}`, { user_id });
    const idsOf = ({ results }: List) => results.map(({ item }) => item.item_id);
    const show = (list: List, item_ids: string[], user_id: string) =>
      service.ok('POST', '/record-impressions', {
        impressions: [{ recommendation_id: list.recommendation_id, item_ids, user_id }],
      });

    test('an item shown three times moves behind the others, and an event ends that', async () => {
      const [first, ...others] = idsOf(await listOf('u1'));
      for (let time = 0; time < 3; time++) {
        const list = await listOf('u1');
        assert.deepEqual(idsOf(list), [first, ...others]);
        await show(list, [first], 'u1');
      }
      const rested = idsOf(await listOf('u1'));
      assert.deepEqual(rested.slice(0, 4), others);
      assert.ok(!rested.includes(first) && rested.length === 5);
      assert.deepEqual(idsOf(await listOf('u1', 'plain')), [first, ...others], 'only where the placement says so');
      assert.deepEqual(idsOf(await listOf('u4')).length, 5, 'others are not concerned');
      const event = { event_id: 'back', user_id: 'u1', item_id: first, ts: Date.now(), event_type: 'view' };
      const { event_dataset_id } = project;
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: [event] });
      assert.deepEqual(idsOf(await listOf('u1')), idsOf(await listOf('u1', 'plain')));
    });
  });
}

test('in the simulated shop fatigue raises clicks', async (t) => {
  const service = await startTestService({ KINDRED_ROLES: 'api,worker' });
  try {
    const shop = new SimulatedShop({ users: 60, days: 60, seed: 3, visitsPerWeek: 7 }).run(30);
    const project = await createTasteProject(service);
    const items = shop.itemRecords().map(({ id, attributes }) => ({ item_id: id, attributes }));
    await service.ok('POST', '/upsert-dataset-items', { item_dataset_id: project.item_dataset_id, items });
    const bought = shop.events.filter(({ type }) => type === 'purchase');
    const model = toyModel(bought.map(({ shopper, good }) => ({ user: shopper, item: good })));
    const { modelId } = await plantModel({ dataDir: service.dataDir }, project, model);
    await succeed(service, '/submit-deployment-job', { project_id: project.project_id, generator_model_id: modelId });
    for (const [name, fatigue] of [
      ['plain', null],
      ['rested', { after: 3, days: 31 }],
    ]) {
      const definition = { kind: 'for_you', defaults: { limit: 8, objective: 'any' }, fatigue };
      await service.ok('POST', '/create-placement', { project_id: project.project_id, name, ...definition });
    }
    // Half of the shoppers get each placement; what they would like is the same in both halves on average.
    const random = seededRandom(21);
    const placementOf = new Map(shop.shoppers.map(({ id }) => [id, random.chance(0.5) ? 'plain' : 'rested'] as const));
    const clicks = new ClickModel(shop.shelves);
    let events = 0;
    for (const { state, day } of shop.visits(14)) {
      const user_id = state.shopper.id;
      const placement = placementOf.get(user_id)!;
      const path = `/projects/${project.project_id}/placements/${placement}`;
      const { recommendation_id, results }: List = await service.ok('POST', path, { user_id });
      const goods = results.map(({ item }) => item.item_id).filter((id) => shop.goods.some((good) => good.id === id));
      await service.ok('POST', '/record-impressions', {
        impressions: [{ recommendation_id, item_ids: goods, user_id }],
      });
      const shown = { recommendationId: recommendation_id, placement, variant: '', goods };
      const clicked = clicks.show(state, day, shown).map(({ good }) => ({
        event_id: `click-${events++}`,
        user_id,
        item_id: good,
        ts: Date.now(),
        event_type: 'click',
        recommendation_id,
      }));
      if (clicked.length === 0) continue;
      const { event_dataset_id } = project;
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events: clicked });
    }
    const [plain, rested] = ['plain', 'rested'].map((name) => clicks.ledger.get(`${name}/`)!);
    const perVisit = ({ clicked, served }: typeof plain) => clicked / served;
    const expected = ({ expectedClicks, served }: typeof plain) => expectedClicks / served;
    t.diagnostic(
      `clicks per visit: ${perVisit(plain).toFixed(3)} plain, ${perVisit(rested).toFixed(3)} with fatigue; expected ${expected(plain).toFixed(3)} and ${expected(rested).toFixed(3)}`,
    );
    assert.ok(expected(rested) > 1.1 * expected(plain), `${expected(rested)} against ${expected(plain)}`);
  } finally {
    await service.stop();
  }
});
