// Licenses under which whoever installs Kindred may use it and pass it on without conditions on their own code.
import type { BundledPackage, ShippedPackage } from './make-sbom.ts';

/** The Unlicense gives up all rights. The others want their text to come along, which it does: see make-notices.ts. */
const LICENSES = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];
/** The Open Font License allows to bundle fonts with any software. It is about fonts alone: code under it may not be shipped. */
const FONT_LICENSES = ['OFL-1.1'];
const FONT_FILE = /\.(woff2?|ttf|otf)$/;

/** Throws for the first package whose license does not allow to ship it. */
export function requireLicenses(packages: readonly (ShippedPackage & Partial<BundledPackage>)[]): void {
  for (const { name, version, license, files } of packages) {
    const isFont = files?.every((file) => FONT_FILE.test(file));
    const allowed = isFont ? [...LICENSES, ...FONT_LICENSES] : LICENSES;
    if (!allowed.includes(license ?? '')) throw new Error(`${name} ${version} has the license ${license ?? 'none'}.`);
  }
}
