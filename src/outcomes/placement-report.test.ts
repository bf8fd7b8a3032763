import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OUTCOME_FIGURES, type OutcomeCounts } from '../store/outcome-store.ts';
import { placementReport } from './placement-report.ts';

async function reportOf(counted: Partial<OutcomeCounts>) {
  const zeros = Object.fromEntries(OUTCOME_FIGURES.map((figure) => [figure, 0]));
  const counts = { placement: 'home', experiment_id: null, variant: null, hour: 0, ...zeros, ...counted };
  const outcomes = { counts: async () => [counts as OutcomeCounts] };
  const query = { fromMs: 0, toMs: 1, by: 'total' } as const;
  const { totals } = await placementReport(outcomes, { project_id: 'prj_1' }, query);
  const { rates_of, served, shown, direct } = totals[0];
  return { rates_of, served, shown, clicked: direct.clicked, rate: direct.click_rate?.estimate };
}

test('rates are shares of the items shown only where impressions cover the lists', async () => {
  const lists = { served: 10, served_items: 30, clicked: 10, converted: 1, value: 20 };
  const none = await reportOf(lists);
  assert.deepEqual(none, { rates_of: 'served', served: 10, shown: 0, clicked: 10, rate: 10 / 30 });
  assert.deepEqual(await reportOf({ ...lists, shown_lists: 1, shown: 1 }), { ...none, shown: 1 });
  assert.deepEqual(await reportOf({ ...lists, shown_lists: 4, shown: 12 }), { ...none, shown: 12 });
  assert.deepEqual(await reportOf({ ...lists, shown_lists: 9, shown: 9 }), { ...none, shown: 9 });
  const covered = { ...none, rates_of: 'shown', shown: 15, rate: 10 / 15 };
  assert.deepEqual(await reportOf({ ...lists, shown_lists: 5, shown: 15 }), covered);
  // Served lists are counted a moment later.
  const early = await reportOf({ shown_lists: 1, shown: 3, clicked: 1 });
  assert.deepEqual([early.rates_of, early.rate], ['shown', 1 / 3]);
});
