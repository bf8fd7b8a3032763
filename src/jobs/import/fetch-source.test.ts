import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { fetchSource } from './fetch-source.ts';

process.env.AWS_ACCESS_KEY_ID ??= 'test';
process.env.AWS_SECRET_ACCESS_KEY ??= 'test';

async function stage(t: TestContext) {
  const server = await startS3Server('lake');
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return { server, folder, config: { dataDir: folder, importSources: [server.url('in')] } };
}

test('a file comes with its ending, is told of as it arrives, and may not be larger than the limit', async (t) => {
  const { server, folder, config } = await stage(t);
  let fetched = 0;
  const fetch = async (name: string, text: string, maxBytes = 10) => {
    server.objects.set(`in/${name}`, Buffer.from(text));
    const scratchDir = mkdtempSync(join(folder, `${fetched++}-`));
    const shares: number[] = [];
    const { signal } = new AbortController();
    const onBytes = (share: number) => void shares.push(share);
    const path = await fetchSource({ config, scratchDir, signal }, `s3://lake/in/${name}`, onBytes, maxBytes);
    return { name: basename(path), text: readFileSync(path, 'utf8'), shares };
  };
  assert.deepEqual(await fetch('a b.CSV.gz', '0123456789'), { name: 'source.CSV.gz', text: '0123456789', shares: [1] });
  assert.deepEqual(await fetch('films.old', 'x'), { name: 'source', text: 'x', shares: [1] });
  const { shares } = await fetch('long.csv', 'x'.repeat(1_000_000), 1_000_000);
  assert.ok(shares[0] < 1 && shares.at(-1) === 1);
  for (const [n, share] of shares.entries()) assert.ok(share > (shares[n - 1] ?? 0), 'it rises');
  await assert.rejects(fetch('large.csv', '0123456789a'), {
    code: 'SOURCE_TOO_LARGE',
    message: 's3://lake/in/large.csv is larger than 64 GiB. Split it into several files.',
  });
});

test('a job that is stopped while its file arrives does not fetch the rest', async (t) => {
  const { server, folder, config } = await stage(t);
  const bytes = 50_000_000;
  server.objects.set('in/long.csv', Buffer.alloc(bytes));
  const control = new AbortController();
  let share = 0;
  const fetched = fetchSource(
    { config, scratchDir: folder, signal: control.signal },
    's3://lake/in/long.csv',
    (now) => {
      share = now;
      control.abort();
    },
  );
  await assert.rejects(fetched);
  assert.ok(share < 1);
});
