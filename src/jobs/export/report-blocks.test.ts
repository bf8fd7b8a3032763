import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../base/durations.ts';
import type { OutcomeCounts } from '../../store/outcome-store.ts';
import { reportBlocks } from './report-blocks.ts';

/** In hours since 1970, in the middle of a day. */
const HOUR_NOW = 20_000 * 24 + 13;

/** Rows of a store in which every hour has served one list. */
async function rowsBy(by: 'day' | 'hour') {
  const outcomes = {
    async counts({ fromHour, toHour }: { fromHour: number; toHour: number }): Promise<Partial<OutcomeCounts>[]> {
      const unit = by === 'day' ? 24 : 1;
      const served = new Map<number, number>();
      for (let hour = fromHour; hour < toHour; hour++) {
        const start = Math.floor(hour / unit) * unit;
        served.set(start, (served.get(start) ?? 0) + 1);
      }
      // A store has its rows in any order.
      return [...served].map(([hour, count]) => ({ hour, served: count })).reverse();
    },
  };
  const rows: { ts: number; served: number }[] = [];
  for await (const block of reportBlocks(
    { outcomes } as never,
    { project_id: 'prj_1' },
    { by, nowMs: HOUR_NOW * HOUR_MS + 5 },
  )) {
    rows.push(...(block as typeof rows));
  }
  return rows;
}

test('a report has 400 whole days up to the one that is now, each once and oldest first', async () => {
  const rows = await rowsBy('day');
  const today = Math.floor(HOUR_NOW / 24) * 24 * HOUR_MS;
  assert.deepEqual(
    rows.map(({ ts, served }) => [ts, served]),
    Array.from({ length: 400 }, (_, n) => [today - (399 - n) * 24 * HOUR_MS, 24]),
  );
});

test('a report by hours ends with the hour that is now', async () => {
  const rows = await rowsBy('hour');
  assert.deepEqual(
    rows.map(({ ts, served }) => [ts, served]),
    Array.from({ length: 400 * 24 }, (_, n) => [(HOUR_NOW - (400 * 24 - 1 - n)) * HOUR_MS, 1]),
  );
});

test('a row has the counts of the store under the names of the report, and a stretch without rows gives none', async () => {
  let asked = 0;
  const counts = async ({ fromHour }: { fromHour: number }) =>
    asked++ === 1 ? [{ placement: 'home', hour: fromHour, targets: 3, assisted_targets: 2 }] : [];
  const blocks = await Array.fromAsync(
    reportBlocks({ outcomes: { counts } } as never, { project_id: 'prj_1' }, { by: 'day', nowMs: HOUR_NOW * HOUR_MS }),
  );
  assert.equal(blocks.length, 1);
  const [{ placement, target_events, assisted_target_events }] = blocks[0] as Record<string, unknown>[];
  assert.deepEqual([placement, target_events, assisted_target_events], ['home', 3, 2]);
});
