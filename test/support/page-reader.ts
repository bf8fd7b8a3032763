// Runs the `sh` blocks of pages in docs/ as a reader would, in an empty folder next to a running service of its own.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { startServiceProcess } from './service.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface PageReader {
  /** Runs every block of a page; the result finds the output of the block that contains a text. */
  run(page: string): Promise<(part: string) => string>;
  stop(): Promise<void>;
}

export async function startPageReader(): Promise<PageReader> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-pages-'));
  mkdirSync(join(folder, 'bin'));
  const shim = `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(ROOT, 'src/main.ts')}" "$@"\n`;
  writeFileSync(join(folder, 'bin/npx'), shim, { mode: 0o755 });
  const service = await startServiceProcess({
    KINDRED_ROLES: 'api,worker',
    KINDRED_DATA_DIR: join(folder, 'data'),
  });
  const env = { PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`, HOME: folder };
  const shell = (code: string): Promise<string> =>
    new Promise((done, fail) => {
      execFile('sh', ['-eu', '-c', code], { cwd: folder, env }, (error, stdout, stderr) =>
        error ? fail(new Error(`${code}\n${stdout}\n${stderr}`)) : done(stdout),
      );
    });
  return {
    async run(page) {
      const outputs: [string, string][] = [];
      const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
      for (const [, code] of text.matchAll(/^```sh\n(.*?)^```$/gms)) outputs.push([code, await shell(code)]);
      assert.ok(outputs.length > 0, `${page} has commands`);
      return (part) => {
        const found = outputs.find(([code]) => code.includes(part));
        assert.ok(found, `${page} has a block with ${part}`);
        return found[1];
      };
    },
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
