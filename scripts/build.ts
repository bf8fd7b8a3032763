// What `npm ci` builds: the WebAssembly kernels, the web console, the browser tracker, the demo shop and the client. Everything else runs from source.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const steps = [
  'scripts/build-kernels.ts',
  'scripts/build-console.ts',
  'scripts/build-browser.ts',
  'scripts/build-shop.ts',
  'scripts/build-client.ts',
];
for (const step of steps) {
  if (!existsSync(step)) continue;
  const { status } = spawnSync(process.execPath, [step], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
