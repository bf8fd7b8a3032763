import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Automation } from '../domain/automation.ts';
import type { AutomationState } from '../store/automation-store.ts';
import { afterNoModel, countFrom, isDue, nextTrainingMs } from './retraining.ts';

const STATE: AutomationState = {
  revision: 1,
  model_id: null,
  since_ts: 0,
  known_events: 0,
  training_job_id: null,
  failures: 0,
  not_before_ts: 0,
  message: null,
};
const every = (hours: number): Automation => ({
  retrain: { every_hours: hours },
  deploy: 'if_not_worse',
  keep_models: 5,
});

test('a day has 24 hours when clocks change, in spring and in autumn', () => {
  const before = process.env.TZ;
  try {
    for (const zone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'UTC']) {
      process.env.TZ = zone;
      for (const day of ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01', '2026-10-04']) {
        const since_ts = Date.parse(`${day}T00:30:00Z`) - 12 * 3_600_000;
        const next = nextTrainingMs(every(24), { ...STATE, since_ts })!;
        assert.equal(next - since_ts, 86_400_000, `${zone} ${day}`);
        assert.equal(isDue(every(24), { ...STATE, since_ts }, 0, next - 1), false);
        assert.equal(isDue(every(24), { ...STATE, since_ts }, 0, next), true);
      }
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test('whichever of interval and events comes first starts a training, and nothing while one runs', () => {
  const both: Automation = { ...every(24), retrain: { every_hours: 24, after_new_events: 10 } };
  assert.equal(isDue(both, STATE, 9, 1), false);
  assert.equal(isDue(both, STATE, 10, 1), true);
  assert.equal(isDue(both, STATE, 0, 86_400_000), true);
  assert.equal(isDue(both, { ...STATE, training_job_id: 'job_1' }, 100, 86_400_000), false);
  assert.equal(isDue(both, { ...STATE, not_before_ts: 5 }, 100, 4), false);
  assert.equal(nextTrainingMs({ ...both, retrain: { after_new_events: 1 } }, STATE), null);
});

test('the wait after failures doubles, up to a day', () => {
  const job = { job_status: 'FAILED', finished_ts: 1000, failure_reason: null } as const;
  const options = { events: 0, nowMs: 2000, firstBackOffMs: 60_000 };
  let state = STATE;
  const waits = Array.from({ length: 20 }, () => {
    state = afterNoModel(state, job, options);
    return state.not_before_ts - 1000;
  });
  assert.deepEqual(waits.slice(0, 4), [60_000, 120_000, 240_000, 480_000]);
  assert.equal(waits[19], 86_400_000);
});

test('without a model every event is new; a model of an earlier version counts from now', () => {
  assert.deepEqual(countFrom(null, 50, 7), { model_id: null, since_ts: 7, known_events: 0 });
  const model = { modelId: 'mdl_1', submittedMs: 3, eventsRead: null };
  assert.deepEqual(countFrom(model, 50, 7), { model_id: 'mdl_1', since_ts: 3, known_events: 50 });
  assert.equal(countFrom({ ...model, eventsRead: 40 }, 50, 7).known_events, 40);
});
