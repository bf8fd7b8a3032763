// The report against the ledger of a simulated shop, to the last count: thousands of visitors, everything sent twice, late and
// out of order, nodes killed in the middle, on every database, and on two nodes where the database allows it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expectedFigures } from '../support/expected-figures.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { AttributedShop } from '../support/shop-simulator/attributed-shop.ts';
import { SimulatedShop } from '../support/shop-simulator/simulate-shop.ts';
import type { Visit } from '../support/shop-simulator/visits.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

const VISITORS = 2000;
const ROUND = 250;
const AT_ONCE = 5;
const PLACEMENTS = ['home', 'cart'];

for (const dialect of DIALECTS) {
  describe(`outcomes of a simulated shop on ${dialect}`, () => {
    let place: TestPlace;
    let nodes: ServiceProcess[] = [];
    let project: { project_id: string; event_dataset_id: string };
    const shop = new SimulatedShop({ users: 3000, days: 60, seed: 5 });

    const startNode = (): Promise<ServiceProcess> =>
      startServiceProcess({
        ...place.env,
      });

    before(async () => {
      place = await newTestPlace(dialect);
      nodes.push(await startNode());
      if (dialect === 'postgres') nodes.push(await startNode());
      const [api] = nodes;
      const datasets: Record<string, string> = {};
      for (const kind of ['user', 'item', 'event']) {
        const field = `${kind}_dataset_id`;
        datasets[field] = (await api.ok('POST', `/create-${kind}-dataset`, { name: kind }))[field];
      }
      const about = { name: 'shop', project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'buy' };
      const { project_id } = await api.ok('POST', '/create-project', { ...about, ...datasets });
      project = { project_id, event_dataset_id: datasets.event_dataset_id };
      const items = shop.itemRecords().map(({ id, attributes }) => ({ item_id: id, attributes }));
      await api.ok('POST', '/upsert-dataset-items', { item_dataset_id: datasets.item_dataset_id, items });
      for (const [at, name] of PLACEMENTS.entries()) {
        const defaults = { limit: 12 + at, filter_query: at === 0 ? "kind = 'consumable'" : 'price < 100' };
        await api.ok('POST', '/create-placement', { project_id, name, kind: 'newest', defaults });
      }
    });
    after(async () => {
      for (const node of nodes) await node.stop();
      await place.remove();
    });

    test('the report equals the ledger, with nodes killed in the middle', async () => {
      const up = new Set(nodes);
      const run = new AttributedShop({ shop, project, placements: PLACEMENTS, nodes: () => [...up] });
      const visits = shop.visits(30);
      let count = 0;
      while (count < VISITORS) {
        const together = Array.from({ length: AT_ONCE }, () => visits.next().value as Visit);
        await Promise.all(together.map((visit) => run.visit(visit)));
        count += AT_ONCE;
        if (count % ROUND !== 0) continue;
        run.deliver();
        if (count % (2 * ROUND) !== 0) continue;
        // The last lists were served milliseconds ago, and deliveries are under way.
        const [victim, ...others] = nodes;
        up.delete(victim);
        await victim.kill();
        const restarted = await startNode();
        nodes = [...others, restarted];
        up.add(restarted);
      }
      await run.settled();
      run.deliver(true);
      await run.settled();

      for (const placement of PLACEMENTS) {
        const lists = run.lists.get(placement)!;
        const expected = expectedFigures(lists, run.events, run.impressions);
        const ledger = run.model.ledger.get(`${placement}/`)!;
        assert.deepEqual(
          [expected.shown, expected.clicked, expected.targets],
          [ledger.shown, ledger.clicked, ledger.purchased],
          'the simulator agrees with itself',
        );
        const total = await totalOnceServed(placement, lists.length);
        const { direct, assisted } = total;
        const figuresOf = (effect: typeof direct) => [effect.clicked, effect.converted, effect.target_events];
        assert.deepEqual([total.served, total.served_items], [lists.length, run.servedItems.get(placement)]);
        assert.deepEqual([total.shown, total.shown_lists], [ledger.shown, lists.length]);
        assert.deepEqual(figuresOf(direct), [expected.clicked, expected.converted, expected.targets]);
        assert.deepEqual(figuresOf(assisted), [
          expected.assisted_clicked,
          expected.assisted_converted,
          expected.assisted_targets,
        ]);
        assert.ok(Math.abs(direct.value - expected.value) < 1e-6 && Math.abs(ledger.value - expected.value) < 1e-6);
        assert.ok(Math.abs(assisted.value - expected.assisted_value) < 1e-6);
        assert.ok(expected.assisted_targets > 3 && ledger.purchased > 10, JSON.stringify(expected));
        assert.ok(
          direct.click_rate.low < direct.click_rate.estimate && direct.click_rate.estimate < direct.click_rate.high,
        );
      }
    });

    /** The totals once the nodes have said what they served, a second later at most. */
    async function totalOnceServed(placement: string, served: number) {
      for (let wait = 0; ; wait++) {
        const query = { project_id: project.project_id, placement, by: 'hour' };
        const report = await nodes[0].ok('GET', '/get-placement-report', query);
        assert.equal(report.totals.length, 1);
        const [total] = report.totals;
        const ofRows = report.rows.reduce((sum: number, row: { served: number }) => sum + row.served, 0);
        assert.equal(ofRows, total.served);
        if (total.served === served || wait === 50) return total;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  });
}
