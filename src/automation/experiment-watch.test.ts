import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../base/durations.ts';
import { createLogger } from '../observability/logger.ts';
import { ExperimentWatch, type WatchParts } from './experiment-watch.ts';

const CREATED = Date.UTC(2026, 0, 1, 10);

test('no point is older than the one before, also on the day on which an experiment becomes two weeks old', async () => {
  const points = new Map<number, number>();
  let nowMs = CREATED + 13 * DAY_MS;
  const store = {
    experiments: {
      allRunning: async () => [{ project_id: 'p', experiment_id: 'e', created_ts: CREATED, decided: {} }],
      keepPoint: async (_: string, { hour }: { hour: number }) => void points.set(hour, nowMs),
      removeEndedUsers: async () => false,
    },
    outcomes: { usersOf: async () => [] },
  } as unknown as WatchParts['store'];
  const watch = new ExperimentWatch({ store, log: createLogger('silent') });
  for (; nowMs < CREATED + 17 * DAY_MS; nowMs += HOUR_MS / 2) await watch.look(nowMs);
  const hours = [...points.keys()].sort((a, b) => a - b);
  const times = hours.map((hour) => points.get(hour)!);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  const dayOf = (hour: number) => new Date(hour * HOUR_MS).getUTCDate();
  const counts = [14, 15, 16, 17, 18].map((day) => hours.filter((hour) => dayOf(hour) === day).length);
  assert.deepEqual(counts, [14, 24, 1, 1, 1]);
});
