// `kindred demo`, ended by Ctrl-C or SIGTERM while it trains.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const ENTRY = join(import.meta.dirname, '../../src/main.ts');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a demo that is ended by ${signal} leaves nothing, and names no job that is gone`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-interrupted-'));
    try {
      const env = { PATH: process.env.PATH, TMPDIR: folder };
      const child = spawn(process.execPath, [ENTRY, 'demo', '--size', 'small', '--no-serve'], { env });
      const ended = once(child, 'exit');
      const told = text(child.stderr);
      for await (const line of child.stdout.iterator({ destroyOnReturn: false }))
        if (String(line).includes('2. Training')) break;
      child.kill(signal);
      assert.deepEqual(await ended, [130, null]);
      assert.match(await told, /^kindred: interrupted\n$/m);
      assert.deepEqual(readdirSync(folder), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
