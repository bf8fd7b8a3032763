// Compiles TypeScript to JavaScript by one of the projects tsconfig.*.json. With one checker: several would each work out the same
// types of schemas again.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export function compile(project: string, ...options: string[]): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', project, '--checkers', '1', ...options], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
