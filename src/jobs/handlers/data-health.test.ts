import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobPlaces } from '../../../test/support/job-run.ts';
import { newId } from '../../../test/support/new-ids.ts';
import { makeEvent } from '../../../test/support/store-fixtures.ts';
import { JOB_HANDLERS } from './index.ts';

const newPlace = jobPlaces();
const checkHealth = await JOB_HANDLERS.DATA_HEALTH();

test('a check keeps its report and tells webhooks of each warning once', async () => {
  const { store, project, run } = await newPlace();
  const { account_id, project_id, event_dataset_id } = project;
  const nowMs = Date.now();
  const events = (await store.datasets.get(account_id, 'event', event_dataset_id))!;
  // The first two are the same: so few repeats are a note.
  await store.events.upsert(
    events,
    Array.from({ length: 1200 }, (_, n) => {
      const no = Math.max(1, n);
      return makeEvent({ event_id: `e${n}`, item_id: `i${no}`, ts: nowMs - no * 1000 });
    }),
  );
  const webhook_id = newId('webhook');
  const webhook = { account_id, webhook_id, url: 'https://example.com/', created_ts: 1, last_attempt: null };
  await store.webhooks.create({ ...webhook, events: ['data.warning'] }, 1);
  const told = async () => {
    const delivery = await store.webhooks.claim(webhook_id, nowMs + 10_000, nowMs + 60_000);
    if (delivery) await store.webhooks.ended(delivery, { succeeded: true, message: '200', nowMs, nextMs: null });
    return delivery?.data;
  };
  const { result, progress } = await run(checkHealth, 'DATA_HEALTH', {});
  const { findings, events: counted } = (await store.health.get(account_id, project_id))!;
  const [{ title, fix }] = findings;
  assert.deepEqual([findings.length, counted], [2, 1200]);
  assert.deepEqual(result, { events: 1200, warnings: 1, notes: 1, message: '1 warning, 1 note.' });
  assert.deepEqual(progress.at(-1), { fraction: 0.8, phase: 'check', message: '1,200 events checked.' });
  assert.deepEqual(await told(), {
    project_id,
    event_dataset_id,
    code: 'NO_TARGET_EVENTS',
    count: 0,
    message: title,
    fix,
  });
  assert.equal(await told(), undefined, 'a note is not told');
  await run(checkHealth, 'DATA_HEALTH', {});
  assert.equal(await told(), undefined, 'the warning is known already');

  const empty = await newPlace();
  assert.equal((await empty.run(checkHealth, 'DATA_HEALTH', {})).result.message, '1 warning, 0 notes.');
  await store.database.atomic([{ sql: 'DELETE FROM dataset WHERE dataset_id = ?', params: [event_dataset_id] }]);
  await assert.rejects(run(checkHealth, 'DATA_HEALTH', {}), { code: 'DATASET_NOT_FOUND' });
  await store.projects.delete(account_id, project_id);
  await assert.rejects(run(checkHealth, 'DATA_HEALTH', {}), { code: 'PROJECT_NOT_FOUND' });
});
