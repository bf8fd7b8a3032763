// A password in PGPASSWORD, as compose.yaml gives it: every process that opens PostgreSQL uses it, whatever its characters are.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmptyProject } from '../support/empty-project.ts';
import { loginPostgres } from '../support/login-postgres.ts';
import { startServiceProcess } from '../support/service.ts';

test('commands, the API and the worker open PostgreSQL with the password of PGPASSWORD', async () => {
  const password = 'pg/#?@:%2F secret';
  const server = await loginPostgres();
  await server.query(`ALTER ROLE kindred PASSWORD '${password}'`);
  const folder = mkdtempSync(join(tmpdir(), 'kindred-password-'));
  const env = { KINDRED_DATABASE_URL: server.addressFor('kindred'), PGPASSWORD: password };
  const kindred = (args: string[], more: Record<string, string> = {}) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, KINDRED_DATA_DIR: join(folder, 'data'), ...env, ...more },
    });
  try {
    const wrong = kindred(['migrate'], { PGPASSWORD: 'wrong' });
    assert.match(wrong.stdout + wrong.stderr, /password authentication failed/);
    for (const args of [['migrate'], ['events', 'shards'], ['backup', join(folder, 'backup')]]) {
      const { status, stdout, stderr } = kindred(args);
      assert.equal(status, 0, `${args}: ${stdout}${stderr}`);
    }
    const service = await startServiceProcess({ ...env, KINDRED_ROLES: 'api,worker' });
    try {
      const { project_id } = await createEmptyProject(service);
      const { job_id } = await service.ok('POST', '/submit-export-job', { project_id, what: 'users' });
      let job: { job_status: string };
      do {
        await sleep(100);
        job = await service.ok('GET', '/get-job', { project_id, job_id });
      } while (['PENDING', 'RUNNING'].includes(job.job_status));
      assert.equal(job.job_status, 'SUCCEED', JSON.stringify(job));
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
