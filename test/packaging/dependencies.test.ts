// What is installed: exactly these versions, with checksums, and install scripts only of packages that are listed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

// npm would match versions by the addresses of packages in the lock file. It has none, so that any mirror of the registry will do; its
// checksums tell which version runs.
test('npm refuses an install script of a package that is not listed, as CI calls it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-scripts-'));
  try {
    assert.match(readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8'), /^npm ci --strict-allow-scripts$/m);
    const install = (allowScripts: Record<string, boolean>) => {
      const project = { name: 'project', version: '1.0.0', dependencies: { one: '1.0.0' } };
      const one = { version: '1.0.0', hasInstallScript: true };
      const packages = { '': project, 'node_modules/one': one };
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...project, allowScripts }));
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...project, lockfileVersion: 3, packages }));
      return spawnSync('npm', ['ci', '--strict-allow-scripts', '--dry-run', '--offline'], {
        cwd: folder,
        encoding: 'utf8',
        shell: true,
      });
    };
    const listed = install({ one: true });
    assert.equal(listed.status, 0, listed.stderr);
    const [major, minor] = spawnSync('npm', ['--version'], { encoding: 'utf8', shell: true })
      .stdout.split('.')
      .map(Number);
    const isRefused = major > 11 || (major === 11 && minor >= 16);
    const other = install({ two: true });
    assert.equal(other.status !== 0 && /ESTRICTALLOWSCRIPTS/.test(other.stderr), isRefused, other.stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
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
