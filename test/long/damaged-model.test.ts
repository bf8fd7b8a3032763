// A deployed model whose file is damaged when the service starts: it stops its own project only, and /readyz says so.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { plantModel } from '../support/plant-model.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, succeed, tasteModel } from '../support/taste-project.ts';
import { DIALECTS, newTestPlace } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  test(`${dialect}: a damaged deployed model makes /readyz degraded until it can be read again`, async () => {
    const place = await newTestPlace(dialect);
    const env = {
      KINDRED_ROLES: 'api,worker',
      ...place.env,
    };
    let service = await startTestService(env);
    try {
      const project = await createTasteProject(service);
      const { project_id } = project;
      const { modelId, file } = await plantModel(place, project, tasteModel());
      await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: modelId, qps: 100 });
      assert.deepEqual(await readyz(service), { status: 'ready', unreadable_deployments: 0 });
      await service.stop();

      const whole = readFileSync(file);
      const harms: (() => void)[] = [
        () => writeFileSync(file, whole.subarray(0, whole.length - 100)),
        () => writeFileSync(file, whole.with(whole.length - 200, whole[whole.length - 200] ^ 4)),
        () => rmSync(file),
      ];
      for (const harm of harms) {
        harm();
        service = await startTestService({ ...env, KINDRED_LOG_LEVEL: 'silent' });
        await until(service, { status: 'degraded', unreadable_deployments: 1 });
        const { status } = await service.call('POST', '/recommend-items-to-user', { project_id, user_id: 'u1' });
        assert.equal(status, 404);
        await service.stop();
        writeFileSync(file, whole);
      }

      rmSync(file);
      service = await startTestService({ ...env, KINDRED_LOG_LEVEL: 'silent' });
      await until(service, { status: 'degraded', unreadable_deployments: 1 });
      writeFileSync(file, whole);
      await service.ok('POST', '/recommend-items-to-user', { project_id, user_id: 'u1' });
      assert.deepEqual(await readyz(service), { status: 'ready', unreadable_deployments: 0 });
    } finally {
      await service.stop();
      await place.remove();
    }
  });
}

interface Readiness {
  status: string;
  unreadable_deployments: number;
}

async function readyz(service: TestService): Promise<Readiness> {
  const { status, body } = await service.call('GET', '/readyz', undefined, { anonymous: true });
  assert.equal(status, 200);
  return body;
}

async function until(service: TestService, expected: Readiness): Promise<void> {
  let found = await readyz(service);
  for (let waited = 0; found.status !== expected.status && waited < 30_000; waited += 50) {
    await sleep(50);
    found = await readyz(service);
  }
  assert.deepEqual(found, expected);
}
