import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
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
    const { path, remove } = await downloadFromS3(address);
    assert.equal(basename(path), 'users.csv');
    assert.equal(readFileSync(path, 'utf8'), 'user_id,age\na,30\n');
    await remove();
    assert.ok(!existsSync(path));
    await assert.rejects(downloadFromS3(server.url('raw/none.csv')), {
      name: 'UnreadableTable',
      message: /cannot download s3:\/\/lake\/raw\/none\.csv/,
    });
  } finally {
    await server.close();
  }
});
