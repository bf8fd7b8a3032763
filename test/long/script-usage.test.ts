// Scripts that take options: --help says which, and so does a wrong one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = ['test', 'simulate', 'test:soak', 'test:powerloss', 'test:cost', 'test:mutation'];
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

function run(name: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const [program, file] = scripts[name].split(' ');
  assert.equal(program, 'node');
  return spawnSync(process.execPath, [join(ROOT, file), ...args], { encoding: 'utf8' });
}

for (const name of NAMES) {
  test(`npm run ${name} tells its usage`, () => {
    const helped = run(name, '--help');
    assert.equal(helped.status, 0);
    assert.match(helped.stdout, new RegExp(`^Usage: npm run ${name} .*\n\n  --\\w`));
    const refused = run(name, '--nonsense');
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /^Unknown option '--nonsense'/m);
    assert.ok(refused.stderr.endsWith(helped.stdout), refused.stderr);
  });
}

test('npm run test:mutation needs sources', () => {
  const { status, stderr } = run('test:mutation');
  assert.equal(status, 2);
  assert.match(stderr, /^Name a file or a folder\.\n\nUsage: /);
});
