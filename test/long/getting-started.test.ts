// Runs the getting-started page, and after it the page on objectives, as a reader would: every `sh` block in a shell, every `ts` block as the file it names, in an
// empty folder next to a running service. `npx` runs this checkout instead of downloading anything.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { type ServiceProcess, startServiceProcess } from '../support/service.ts';

const root = resolve(import.meta.dirname, '../..');
const pageOf = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');
let folder = '';
let service: ServiceProcess;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-getting-started-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/kindred'));
  const shim = `#!/bin/sh
case "$1" in
  kindred) shift; exec "${process.execPath}" "${join(root, 'src/main.ts')}" "$@" ;;
  node) shift; exec "${process.execPath}" "$@" ;;
  *) echo "npx $1 is not for this page" >&2; exit 1 ;;
esac
`;
  writeFileSync(join(folder, 'bin/npx'), shim, { mode: 0o755 });
  service = await startServiceProcess({
    KINDRED_ROLES: 'api,worker',
    KINDRED_DATA_DIR: join(folder, 'data'),
  });
});
after(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function shell(code: string): Promise<{ error: Error | null; stdout: string; stderr: string }> {
  const env = { PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`, HOME: folder };
  return new Promise((done) => {
    execFile('sh', ['-eu', '-c', code], { cwd: folder, env }, (error, stdout, stderr) =>
      done({ error, stdout, stderr }),
    );
  });
}

/** Output by the code that made it. */
async function runBlocks(page: string): Promise<Map<string, string>> {
  const outputs = new Map<string, string>();
  for (const [, language, code] of page.matchAll(/^```(sh|ts)\n(.*?)^```$/gms)) {
    if (language === 'ts') {
      const name = /^\/\/ (\S+\.ts)$/m.exec(code)?.[1];
      assert.ok(name, 'a ts block names its file in its first line');
      writeFileSync(join(folder, name), code);
      continue;
    }
    const { error, stdout, stderr } = await shell(code);
    assert.ok(!error, `${code}\n${stdout}\n${stderr}`);
    outputs.set(code, stdout);
  }
  return outputs;
}

test('every block of the page works, in order', async () => {
  const outputs = await runBlocks(pageOf('getting-started.md'));
  const output = (part: string) => [...outputs].find(([code]) => code.includes(part))?.[1] ?? '';
  assert.match(output('kindred import'), /600 rows imported/);
  assert.match(output('kindred train'), /ndcg@10/);
  assert.match(output('kindred recommend viewer-00001'), /viewer-00001\n#\s+item/);
  assert.match(output('kindred query'), /genres = Horror: users by affinity/);
  const [before, changed] = /before: (.*?)after: {2}(.*)/s.exec(output('npx node recommend.ts'))?.slice(1) ?? [];
  assert.ok(before && changed && before.trim() !== changed.trim(), 'new events change the list');
  assert.match(changed, /Horror/);
});

test('every block of the page on objectives works on the same data', async () => {
  const outputs = [...(await runBlocks(pageOf('objectives.md')))];
  const lists = outputs.find(([code]) => code.includes('--objective continue'))?.[1] ?? '';
  assert.equal(lists.match(/viewer-00001\n#\s+item/g)?.length, 3);
  assert.match(lists, /view on \d{4}-\d\d-\d\d/, 'continue says when the user viewed it');
  assert.match(lists, /watch on \d{4}-\d\d-\d\d/, 'again says when the user watched it');
  const [, session = ''] = outputs.find(([code]) => code.includes('objectives.ts')) ?? [];
  const [fromCode] = /^(film-\d{4} ?){5}$/m.exec(session) ?? [];
  assert.deepEqual([...session.matchAll(/^\s*\d\s+(film-\d{4})/gm)].map(([, id]) => id).join(' '), fromCode);
});
