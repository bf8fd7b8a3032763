// What `npm pack` ships, in build/package: the sources as JavaScript with types (type stripping does not work under
// node_modules), and next to them what they read: kernels, console, web pages, files that are not TypeScript. The folder has the
// layout of the checkout, so that every path relative to a module holds in both. Another folder may be given, so that a test does
// not write into the checkout.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUNDLES, readBundled } from './bundled-packages.ts';
import { compile } from './compile.ts';
import { requireLicenses } from './licenses.ts';
import { makeNotices } from './make-notices.ts';
import { bundledPackages, makeSbom, shippedPackages } from './make-sbom.ts';
import { NODE_BINARIES } from './node-binaries.ts';

// Made next to the last one and then put in its place: who reads the package meanwhile finds a whole one.
const finished = process.argv[2] ?? 'build/package';
const target = `${finished}.new`;
const replaced = `${finished}.old`;
for (const left of [target, replaced]) rmSync(left, { recursive: true, force: true });

compile('tsconfig.package.json', '--outDir', target);

for (const file of globSync('src/**/*.*')) {
  if (/\.ts$/.test(file) || file.startsWith('src/kernels/assembly/')) continue;
  mkdirSync(join(target, dirname(file)), { recursive: true });
  cpSync(file, join(target, file));
}
for (const bundle of BUNDLES) {
  cpSync(join('build', bundle), join(target, 'build', bundle), { recursive: true });
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { name, version } = manifest;
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, type: 'module', private: true }, null, 2)}\n`,
);

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const installed = [...shippedPackages(lock), ...NODE_BINARIES];
const bundled = bundledPackages(lock, readBundled());
requireLicenses([...installed, ...bundled]);
const sbom = makeSbom(manifest, installed, bundled);
writeFileSync(join(target, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
writeFileSync(join(target, 'THIRD-PARTY-NOTICES.txt'), makeNotices(bundled));

if (existsSync(finished)) renameSync(finished, replaced);
renameSync(target, finished);
rmSync(replaced, { recursive: true, force: true });
