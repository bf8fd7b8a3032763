#!/usr/bin/env node
// Entry of the `kindred` command. Kindred needs the Node it pins (the npm package `node`), whichever Node started this file.
// An older one starts the pinned one with the same arguments, streams and signals.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageRoot = join(dirname(fileURLToPath(import.meta.url)), '..');
const compiledEntry = join(packageRoot, 'build/package/src/main.js');
const entry =
  existsSync(compiledEntry) && !existsSync(join(packageRoot, 'src/main.ts'))
    ? compiledEntry
    : join(packageRoot, 'src/main.ts');
const PINNED_MAJOR = 26;

if (Number(process.versions.node.split('.')[0]) >= PINNED_MAJOR) {
  await import(entry);
} else {
  const pinnedNode = join(dirname(module.createRequire(import.meta.url).resolve('node/package.json')), 'bin/node');
  const child = spawn(pinnedNode, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event === 'npx') {
    // npx starts a shell in between, which does not forward signals.
    const parent = process.ppid;
    setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500).unref();
  }
  child.on('error', (error) => {
    process.stderr.write(
      // npm 12 runs no install script that is not allowed, and an install script brings the pinned copy.
      `kindred needs Node ${PINNED_MAJOR}; the pinned copy did not start: ${error.message}\nInstall it again with "npm install --global --allow-scripts=node kindred" (in a checkout: "npm ci"), or use Node ${PINNED_MAJOR}.\n`,
    );
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
  });
}
