import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../src/base/durations.ts';
import { sumOutcomes } from './sum-outcomes.ts';

function row(ts: number | null, counts: Partial<Record<string, unknown>>) {
  const { served = 0, shown = 0, clicked = 0, converted = 0, value = 0, ...rest } = counts as Record<string, never>;
  return {
    placement: 'home',
    ts,
    served,
    served_items: served * 10,
    shown_lists: served,
    shown,
    rates_of: shown > 0 ? 'shown' : 'served',
    direct: { clicked, converted, value },
    ...rest,
  };
}
const report = (rows: object[], totals: object[]) =>
  ({ by: 'day', from_ts: 0, to_ts: 3 * DAY_MS, rows, totals }) as unknown as Parameters<typeof sumOutcomes>[0];

test('placements are added up, and days without lists are there too', () => {
  const rows = [row(0, { served: 10, clicked: 4 }), row(2 * DAY_MS, { served: 20, shown: 50, clicked: 6, value: 9 })];
  const { total, points, clickRate, ratesOf } = sumOutcomes(report(rows, rows));
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
  assert.equal(ratesOf, 'shown or served');
  assert.equal(sumOutcomes(report([], [rows[0]])).ratesOf, 'served');
  assert.equal(sumOutcomes(report([], [rows[1]])).ratesOf, 'shown');
});
