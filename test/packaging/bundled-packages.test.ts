// What is bundled in the console, the tracker, the demo shop and the kernels is shipped: it is in the list of contents, under a
// license that allows it, with the text of that license.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { filesOfPackages, readBundled } from '../../scripts/bundled-packages.ts';
import { requireLicenses } from '../../scripts/licenses.ts';
import { makeNotices } from '../../scripts/make-notices.ts';
import { type BundledPackage, bundledPackages, makeSbom, type Sbom, shippedPackages } from '../../scripts/make-sbom.ts';

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const lock = readJson('package-lock.json');
const bundled = bundledPackages(lock, readBundled());

test('every bundled package is in the list of contents, once, with license and checksum', () => {
  const { components } = makeSbom(readJson('package.json'), shippedPackages(lock), bundled) as Sbom;
  for (const { name, version } of bundled) {
    const own = components.filter((one) => one.name === name && one.version === version);
    assert.equal(own.length, 1, name);
    assert.equal(own[0].licenses.length, 1, name);
    assert.match(own[0].hashes[0].content, /^[0-9a-f]{128}$/, name);
    assert.ok(
      own[0].properties.some(({ value }) => value === 'bundled'),
      name,
    );
  }
});

test('the notices name every bundled package and hold the license text of each', () => {
  const notices = makeNotices(bundled);
  for (const { name, version, license, folder } of bundled) {
    assert.ok(notices.includes(`\n${name} ${version} (${license})\n`), name);
    for (const file of globSync(`${folder}/{LICENSE,NOTICE}*`)) {
      assert.ok(notices.includes(readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()), file);
    }
  }
});

test('every bundled package may be shipped', () => requireLicenses(bundled));

test('the lists of bundles have what the console and the kernels are known to be made of', () => {
  const names = bundled.map(({ name }) => name);
  const known = ['react', 'react-dom', 'react-aria', 'lucide-react', 'wouter', 'hyparquet', 'vite', 'assemblyscript'];
  for (const name of [...known, '@tanstack/react-query', '@fontsource/newsreader', '@fontsource-variable/inter']) {
    assert.ok(names.includes(name), name);
  }
});

/** The bundler puts them into the file that imports them and does not tell. */
test('no style sheet imports one of a package', () => {
  const sheets = globSync(['console/**/*.css', 'clients/*/*.css']);
  assert.ok(sheets.length > 5);
  const foreign = sheets.filter((sheet) => /@import\s+(url\()?["'](?!\.)/.test(readFileSync(sheet, 'utf8')));
  assert.deepEqual(foreign, []);
});

test('a license that is not known, code under a license of fonts, and a missing text are errors', () => {
  const one: BundledPackage = {
    name: 'one',
    version: '1.0.0',
    license: 'MIT',
    integrity: null,
    folder: 'node_modules/one',
    files: ['node_modules/one/index.js'],
  };
  requireLicenses([one]);
  assert.throws(() => requireLicenses([{ ...one, license: 'AGPL-3.0-only' }]), /one 1\.0\.0 has the license AGPL/);
  assert.throws(() => requireLicenses([{ ...one, license: null }]), /has the license none/);
  assert.throws(() => requireLicenses([{ ...one, license: 'OFL-1.1' }]), /OFL-1\.1/);
  requireLicenses([{ ...one, license: 'OFL-1.1', files: ['node_modules/one/one.woff2'] }]);
  assert.throws(() => makeNotices([one]), /no license text/);
});

test('a module is of the package it lies deepest in, helpers are of the bundler, and unknown packages are errors', () => {
  const files = filesOfPackages([
    '/home/a/src/main.ts',
    '/home/a/node_modules/x/node_modules/@y/z/index.js?raw',
    '../node_modules/x/font.woff2',
    '\0vite/preload-helper.js',
  ]);
  assert.deepEqual(files, [
    'node_modules/vite/preload-helper.js',
    'node_modules/x/font.woff2',
    'node_modules/x/node_modules/@y/z/index.js',
  ]);
  const locked = { version: '2.0.0', license: 'MIT' };
  const folders = ['node_modules/vite', 'node_modules/x', 'node_modules/x/node_modules/@y/z'];
  const packages = bundledPackages({ packages: Object.fromEntries(folders.map((folder) => [folder, locked])) }, files);
  assert.deepEqual(
    packages.map(({ name }) => name),
    ['@y/z', 'vite', 'x'],
  );
  assert.throws(() => bundledPackages({ packages: {} }, files), /not in the lock file/);
});
