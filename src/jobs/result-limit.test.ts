import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exportData } from './handlers/export.ts';
import { recommend } from './handlers/recommendation.ts';
import type { JobConfig, JobContext, JobHandler } from './job-handler.ts';
import { ResultLimit } from './result-limit.ts';

const GIB = 1024 ** 3;

async function* linesOf(...lines: (string | Uint8Array)[]) {
  yield* lines;
}

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('lines of a result are written up to the limit, which counts bytes', async (t) => {
  const folder = newFolder(t);
  const limit = new ResultLimit({ maxResultGb: 6 / GIB }, 'Request less.');
  assert.equal(await limit.write(linesOf('ü\n', Buffer.from('ab\n')), join(folder, 'fits')), 6);
  assert.equal(readFileSync(join(folder, 'fits'), 'utf8'), 'ü\nab\n');
  await assert.rejects(limit.write(linesOf('ü\n', 'ü\n', '\n'), join(folder, 'large')), {
    code: 'RESULT_TOO_LARGE',
    message: /^The result would be larger than .* GiB, the limit of this service\. Request less\.$/,
  });
  await assert.rejects(limit.write(linesOf('a'), join(folder, 'fits')), { code: 'EEXIST' });
  await assert.rejects(limit.write(linesOf('ab\n'), join(folder, 'part'), 4), { code: 'RESULT_TOO_LARGE' });
  const message = 'The result would be larger than 8 GiB, the limit of this service.';
  assert.throws(() => new ResultLimit({}).check(8 * GIB + 1), { message });
});

for (const [name, handler] of Object.entries({ exportData, recommend }) as [string, JobHandler][]) {
  test(`parts that are too large together are not joined: ${name}`, async (t) => {
    const scratchDir = newFolder(t);
    const goOn = async () => {
      throw new Error('it goes on');
    };
    const joinParts = (sizes: readonly number[], config: JobConfig) => {
      const results = sizes.map((bytes) => ({
        attempt_id: 'a',
        facts: { bytes, files: [] },
        plan: { erasures: null },
      }));
      return handler({
        parts: sizes.length,
        job: { job_id: 'job_1', job_data: { destination: null } },
        scratchDir,
        progress: () => {},
        config,
        runtime: { nowMs: Date.now },
        store: {
          queue: { partResults: async () => results },
          projects: { get: goOn },
          accounts: { sharedSecret: goOn },
        },
      } as unknown as JobContext);
    };
    await assert.rejects(joinParts([5 * GIB, 3 * GIB + 1], {} as JobConfig), { code: 'RESULT_TOO_LARGE' });
    await assert.rejects(joinParts([5 * GIB, 3 * GIB], {} as JobConfig), { message: 'it goes on' });
    await assert.rejects(joinParts([5 * GIB, 4 * GIB], { maxResultGb: 9 } as JobConfig), { message: 'it goes on' });
  });
}
