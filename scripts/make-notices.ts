// THIRD-PARTY-NOTICES.txt: the license texts of the packages that are bundled in what is shipped. A bundle holds no license files,
// and nearly all licenses want theirs to come along. Packages that are installed bring their own.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledPackage } from './make-sbom.ts';

const LICENSE_FILE = /^(licen[cs]e|copying|notice|unlicense)\b/i;
const LINE = '='.repeat(80);

/** Packages with the same text are listed together. */
export function makeNotices(packages: readonly BundledPackage[]): string {
  const byText = Map.groupBy(packages, textOf);
  const parts = [...byText].map(([text, own]) => {
    const names = own.map(({ name, version, license }) => `${name} ${version} (${license})`);
    return `${LINE}\n${names.join('\n')}\n\n${text}\n`;
  });
  return `Kindred's package contains the following software and fonts of others.\n\n${parts.join('\n')}`;
}

function textOf({ name, folder, license }: BundledPackage): string {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => LICENSE_FILE.test(file)) : [];
  if (files.length > 0) {
    const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
    return texts.join('\n\n');
  }
  if (license === 'Unlicense') return 'This is free and unencumbered software released into the public domain.';
  throw new Error(`${name} is bundled, and its package has no license text that could be shipped.`);
}
