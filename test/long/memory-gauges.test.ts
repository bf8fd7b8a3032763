// Who may only recommend cannot make the service hold more than it says: what the process grows by under keys made to be long and
// different each time is what its gauges grow by, but for the slack of a garbage-collected heap.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { plantModel } from '../support/plant-model.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { createTasteProject, succeed, type TasteProject, tasteModel } from '../support/taste-project.ts';
import { newTestPlace } from '../support/test-database.ts';

const MIB = 1024 * 1024;
/** A heap is not collected at once, and threads have heaps of their own. A cache that did not count its keys would grow by more. */
const SLACK_BYTES = 150 * MIB;
const CALLERS = 4;
/** Responses repeat the keys; compressing them would take longer than all the rest, and no cache holds compressed ones. */
const PLAIN = { 'accept-encoding': 'identity' };

let place: Awaited<ReturnType<typeof newTestPlace>>;
let service: ServiceProcess;
let project: TasteProject;
before(async () => {
  place = await newTestPlace('sqlite');
  service = await startServiceProcess({
    KINDRED_DATA_DIR: place.dataDir,
    KINDRED_ROLES: 'api,worker',
    KINDRED_LOG_LEVEL: 'warn',
    KINDRED_MODEL_MEMORY_MB: '256',
  });
  project = await createTasteProject(service);
  const { modelId } = await plantModel(place, project, tasteModel());
  const deployment = { project_id: project.project_id, generator_model_id: modelId, qps: 1000 };
  await succeed(service, '/submit-deployment-job', deployment);
});
after(async () => {
  await service.terminate();
  await place.remove();
});

async function figures(): Promise<{ rss: number; caches: number; limits: number }> {
  const { body } = await service.call('GET', '/metrics', undefined, { anonymous: true });
  const sum = (name: string): number =>
    [...String(body).matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    rss: sum('process_resident_memory_bytes'),
    caches: sum('kindred_cache_bytes'),
    limits: sum('kindred_cache_limit_bytes'),
  };
}

/** Calls until there have been `count` responses; a rate-limited call is sent again. */
async function recommend(count: number, requestOf: (n: number) => object): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      for (;;) {
        const request = { user_id: `u${n % 60}`, project_id: project.project_id, limit: 1, ...requestOf(n) };
        const { status, body } = await service.call('POST', '/recommend-items-to-user', request, { headers: PLAIN });
        if (status === 429) continue;
        assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
        break;
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

const ADVERSARIES: [what: string, count: number, requestOf: (n: number) => object][] = [
  [
    'lists of attributes',
    4000,
    (n) => ({ attributes: Array.from({ length: 100 }, (_, a) => `${n} ${a} `.padEnd(256, 'é')) }),
  ],
  ['filters', 1000, (n) => ({ filter_query: `title != '${`${n} `.padEnd(4000, 'é')}'` })],
  ['users', 2000, (n) => ({ user_id: `${n} `.padEnd(256, 'é') })],
];

for (const [what, count, requestOf] of ADVERSARIES) {
  test(`caches hold no more than they say, whatever the keys: ${what}`, async () => {
    // The first round warms the process up: a heap grows to what its work needs, whatever is kept.
    await recommend(count / 2, requestOf);
    const start = await figures();
    await recommend(count, (n) => requestOf(count + n));
    const end = await figures();
    const told = `RSS grew by ${toMib(end.rss - start.rss)} MiB, caches by ${toMib(end.caches - start.caches)} MiB`;
    assert.ok(end.rss - start.rss < end.caches - start.caches + SLACK_BYTES, told);
    assert.ok(end.caches <= end.limits, `caches hold ${end.caches} of ${end.limits} bytes`);
  });
}

const toMib = (bytes: number): number => Math.round(bytes / MIB);
