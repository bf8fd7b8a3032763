import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import type { JobStatus } from '../domain/job-status.ts';
import { deliverTo } from './deliver-file.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

async function stage(t: TestContext) {
  const server = await startS3Server();
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(async () => {
    await server.close();
    rmSync(dataDir, { recursive: true });
  });
  // Delivering takes the file away.
  const newFile = () => {
    const file = join(dataDir, 'lists.jsonl');
    writeFileSync(file, 'a line\n');
    return file;
  };
  const control = new AbortController();
  const job = { status: 'RUNNING' as JobStatus | null };
  const deliver = (address: string | null, place = server.url('exports')) =>
    deliverTo(
      {
        signal: control.signal,
        config: { dataDir, exportDestinations: [place] },
        job: { account_id: 'acc_1', project_id: 'prj_1', job_id: 'job_1' },
        store: { jobs: { get: async () => (job.status === null ? null : { job_status: job.status }) } },
      } as unknown as Parameters<typeof deliverTo>[0],
      address,
    );
  return { server, newFile, control, job, deliver };
}

const addressOf = (server: S3Server) => `${server.url('exports').split('?')[0]}/today.jsonl`;

test('a job without a destination delivers nothing, and one that is not allowed fails before it works', async (t) => {
  const { server, deliver } = await stage(t);
  assert.equal(deliver(null), null);
  assert.throws(() => deliver('s3://elsewhere/today.jsonl'), {
    code: 'DESTINATION_NOT_ALLOWED',
    message: /^This worker may not write to s3:\/\/elsewhere\/today\.jsonl\./,
  });
  assert.equal(server.objects.size, 0);
});

test('the file is at its destination, also if the job is gone meanwhile', async (t) => {
  const { server, newFile, job, deliver } = await stage(t);
  const address = addressOf(server);
  assert.equal(await deliver(address)!(newFile()), address);
  assert.equal(String(server.objects.get('exports/today.jsonl')), 'a line\n');
  job.status = null;
  assert.equal(await deliver(address)!(newFile()), address);
});

test('a job that was canceled meanwhile leaves no file, whichever attempt writes last', async (t) => {
  const { server, newFile, job, control, deliver } = await stage(t);
  job.status = 'CANCELLED';
  await assert.rejects(deliver(addressOf(server))!(newFile()), { code: 'CANCELLED' });
  assert.equal(server.objects.size, 0);
  control.abort(new Error('the lease is lost'));
  await assert.rejects(deliver(addressOf(server))!(newFile()), /the lease is lost/);
  assert.equal(server.objects.size, 0);
});

test('an attempt that is stopped leaves the file, which the next attempt may have written', async (t) => {
  const { server, newFile, job, control, deliver } = await stage(t);
  control.abort(new Error('the lease is lost'));
  for (const status of ['RUNNING', 'SUCCEED'] as const) {
    job.status = status;
    await assert.rejects(deliver(addressOf(server))!(newFile()), /the lease is lost/);
    assert.equal(String(server.objects.get('exports/today.jsonl')), 'a line\n');
  }
});

test('a place that refuses the file fails the job with what it said, and what is wrong here is retried', async (t) => {
  const { server, newFile, deliver } = await stage(t);
  const [root, settings] = server.url('exports').split('?');
  const elsewhere = root.replace('models', 'missing');
  const address = `${elsewhere}/today.jsonl`;
  await assert.rejects(deliver(address, `${elsewhere}?${settings}`)!(newFile()), {
    code: 'DESTINATION_REFUSED',
    message: `${address} was refused: NoSuchBucket (404).`,
  });
  await assert.rejects(deliver(addressOf(server))!(`${newFile()}.gone`), { code: 'ENOENT' });
});
