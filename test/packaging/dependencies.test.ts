// What is installed: exactly these versions, with checksums, and install scripts only of packages that are listed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { requireLicenses } from '../../scripts/licenses.ts';
import { makeSbom, type Sbom, shippedPackages } from '../../scripts/make-sbom.ts';

interface LockedPackage {
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const manifest = read('package.json');
const locked = Object.entries(read('package-lock.json').packages as Record<string, LockedPackage>).filter(
  ([path]) => path !== '',
);

test('versions are exact and every package has a checksum', () => {
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  }
  assert.ok(locked.length > 100);
  for (const [path, { integrity, link, dev, optional }] of locked) {
    // Builds of development tools for other systems, which were not installed when the lock was made, may lack theirs.
    assert.ok(link || (dev && optional) || integrity?.startsWith('sha512-'), path);
  }
});

test('every package with an install script is listed in allowScripts, and no other', () => {
  const withScript = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1)!);
  assert.deepEqual(Object.keys(manifest.allowScripts).sort(), [...new Set(withScript)].sort());
});

test('every package that is installed with Kindred has a license without conditions on the code of others', () => {
  const installed = shippedPackages(read('package-lock.json'));
  assert.ok(installed.length > 50);
  requireLicenses(installed);
});

test('the list of contents of the package names every package with version, license and checksum', () => {
  const lock = read('package-lock.json');
  const installed = shippedPackages(lock);
  const sbom = makeSbom(manifest, installed, []) as Sbom;
  assert.equal(sbom.components.length, installed.length);
  assert.equal(new Set(sbom.components.map(({ purl }) => purl)).size, sbom.components.length);
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    const component = sbom.components.find((one) => one.name === name && one.version === version);
    assert.equal(component?.version, version, name);
    assert.equal(component?.licenses.length, 1, name);
    assert.match(component?.hashes[0].content ?? '', /^[0-9a-f]{128}$/, name);
  }
  assert.deepEqual(makeSbom(manifest, installed, []), sbom, 'the same sources give the same list');
});
