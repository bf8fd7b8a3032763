// `npm test`: runs every test file with Node's own runner, on kernels that are up to date. `npm test -- PATTERN…` runs the files
// whose path contains a pattern.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { isCurrent } from '../src/kernels/kernel-build.ts';

const patterns = process.argv.slice(2);
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'])
  .filter((file) => !file.startsWith('test/soak/') && !file.includes('node_modules'))
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${patterns.join(' ')}\n`);
  process.exit(1);
}
// A pull may have changed the kernels under a build of yesterday.
if (!isCurrent('build/kernels')) {
  spawnSync(process.execPath, ['scripts/build-kernels.ts'], { stdio: 'inherit' });
}
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=300000', ...files], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
