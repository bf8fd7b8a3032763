// The commands of the README do what it says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestService } from '../support/service.ts';

const run = promisify(execFile);
const README = new URL('../../README.md', import.meta.url);

test('the first five calls work when they are pasted', async () => {
  const service = await startTestService();
  const folder = await mkdtemp(join(tmpdir(), 'kindred-readme-'));
  try {
    await symlink(service.dataDir, join(folder, 'data'));
    const text = (await readFile(README, 'utf8')).split('## The first five calls')[1].split('## Read on')[0];
    const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1]);
    assert.equal(blocks.length, 6);
    const script = blocks.join('\necho\n').replace('http://127.0.0.1:8080', service.baseUrl);
    const { stdout } = await run('bash', ['-eu', '-c', script], { cwd: folder });
    const [upserted, record, dataset] = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    assert.deepEqual(upserted.succeed_ids, ['e1', 'e2']);
    assert.equal(record.user_id, 'ann');
    assert.equal(dataset.num_records, 2);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

test('set up and test is what the pipeline runs', async () => {
  const pipeline = await readFile(new URL('../../.ci/run', import.meta.url), 'utf8');
  assert.match(await readFile(README, 'utf8'), /^npm ci && npm test$/m);
  // On two lines: behind &&, a failure would not end the pipeline. CI also refuses install scripts that nobody has listed.
  assert.match(pipeline, /^npm ci --strict-allow-scripts\nnpm test$/m);
});
