import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumOutcomes } from './sum-outcomes.ts';

const DAY_MS = 86_400_000;

function row(ts: number | null, counts: Partial<Record<string, unknown>>) {
  const { served = 0, shown = 0, clicked = 0, converted = 0, value = 0, ...rest } = counts as Record<string, never>;
  return {
    ...{ placement: 'home', experiment_id: null, variant: null, ts, served, served_items: served * 10 },
    ...{ shown_lists: served, shown, rates_of: shown > 0 ? 'shown' : 'served' },
    direct: { clicked, converted, value },
    ...rest,
  };
}
const report = (rows: object[], totals: object[]) =>
  ({ by: 'day', from_ts: 0, to_ts: 3 * DAY_MS, rows, totals }) as unknown as Parameters<typeof sumOutcomes>[0];

test('placements are added up, and days without lists are there too', () => {
  const rows = [row(0, { served: 10, clicked: 4 }), row(2 * DAY_MS, { served: 20, shown: 50, clicked: 6, value: 9 })];
  const { total, points, clickRate, holdout, ratesOf } = sumOutcomes(report(rows, rows), []);
  assert.deepEqual(total, { served: 30, items: 150, clicked: 10, converted: 0, value: 9 });
  assert.deepEqual(
    points.map(({ ts, served }) => [ts, served]),
    [
      [0, 10],
      [DAY_MS, 0],
      [2 * DAY_MS, 20],
    ],
  );
  assert.ok(Math.abs(clickRate!.estimate - 10 / 150) < 1e-12 && clickRate!.low < 0.06 && clickRate!.high > 0.07);
  assert.deepEqual([holdout, ratesOf], [null, 'shown']);
});

test('the holdout of a running experiment is compared within the experiment alone', () => {
  const experiment = (experiment_id: string, status: string) => ({
    ...{ experiment_id, status, name: 'Do they work?' },
    variants: [
      { name: 'today', overrides: {} },
      { name: 'holdout', overrides: { kind: 'popular' } },
    ],
  });
  const totals = [
    row(null, { served: 1000, clicked: 5000 }),
    row(null, { served: 900, clicked: 600, converted: 90, experiment_id: 'exp_1', variant: 'today' }),
    row(null, { served: 100, clicked: 50, converted: 5, experiment_id: 'exp_1', variant: 'holdout' }),
  ];
  const compare = (...experiments: object[]) =>
    sumOutcomes(report([], totals), experiments as unknown as Parameters<typeof sumOutcomes>[1]).holdout;
  const found = compare(experiment('exp_0', 'RUNNING'), experiment('exp_1', 'RUNNING'))!;
  assert.equal(found.experimentId, 'exp_1');
  assert.ok(Math.abs(found.clicks!.estimate - 1 / 3) < 1e-9);
  assert.ok(found.clicks!.low < 0 && found.clicks!.high > 0.7, 'wider than for one look: people keep the page open');
  assert.equal(found.conversions, null, 'five conversions say nothing');
  assert.equal(found.clickRate!.estimate, 0.05);
  assert.equal(compare(experiment('exp_1', 'STOPPED')), null);
  assert.equal(compare(), null);
});
