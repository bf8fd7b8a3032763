// What `npm ci` builds: the WebAssembly kernels and the web console. Everything else runs from source.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const steps = ['scripts/build-kernels.ts', 'scripts/build-console.ts'];
for (const step of steps) {
  if (!existsSync(step)) continue;
  const { status } = spawnSync(process.execPath, [step], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
