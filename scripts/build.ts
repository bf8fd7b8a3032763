// What `npm ci` builds: the WebAssembly kernels, the web console, the browser tracker, the demo shop and the client. Everything else runs from source.
// Nothing is built again while its sources stay the same; without the folder `build` everything is.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { hashOfSources, isBuiltFrom, markBuilt } from './built-from.ts';

const steps = [
  'scripts/build-kernels.ts',
  'scripts/build-console.ts',
  'scripts/build-browser.ts',
  'scripts/build-shop.ts',
  'scripts/build-client.ts',
];
const sources = hashOfSources('.');
if (isBuiltFrom('.', sources)) process.exit();
for (const step of steps) {
  if (!existsSync(step)) continue;
  const { status } = spawnSync(process.execPath, [step], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
markBuilt('.', sources);
