import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startS3Server } from '../../test/support/s3-server.ts';
import { downloadFromS3, isS3Address } from './s3-file.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

test('a file in S3 is downloaded with its name, and removed in the end', async () => {
  const server = await startS3Server('lake');
  try {
    server.objects.set('raw/users.csv', Buffer.from('user_id,age\na,30\n'));
    const address = server.url('raw/users.csv');
    assert.ok(isS3Address(address) && !isS3Address('users.csv'));
    const { path, remove } = await downloadFromS3(address, new AbortController().signal);
    assert.equal(basename(path), 'users.csv');
    assert.equal(readFileSync(path, 'utf8'), 'user_id,age\na,30\n');
    await remove();
    assert.ok(!existsSync(path));
    await assert.rejects(downloadFromS3(server.url('raw/none.csv'), new AbortController().signal), {
      name: 'UnreadableTable',
      message: /cannot download s3:\/\/lake\/raw\/none\.csv/,
    });
  } finally {
    await server.close();
  }
});

test('a download that is interrupted, before the response or on the way, ends with the reason and leaves no copy', async () => {
  const server = await startS3Server('lake');
  const folder = mkdtempSync(join(tmpdir(), 'kindred-s3-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    server.objects.set('users.csv', Buffer.from('user_id,age\n'.repeat(1000)));
    const reason = new Error('interrupted');
    await assert.rejects(downloadFromS3(server.url('users.csv'), AbortSignal.abort(reason)), reason);
    server.interrupt(1, 'stall');
    const controller = new AbortController();
    const download = downloadFromS3(server.url('users.csv'), controller.signal);
    while (!readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('users.csv'))) {
      await setImmediate();
    }
    controller.abort(reason);
    await assert.rejects(download, reason);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true });
    await server.close();
  }
});

test('an address with a lone % is refused with what to do', async () => {
  await assert.rejects(downloadFromS3('s3://lake/100%.csv', new AbortController().signal), {
    name: 'UnreadableTable',
    message: 's3://lake/100%.csv is no address of a file in S3. Write % as %25',
  });
});
