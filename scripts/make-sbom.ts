// What the package is made of, as CycloneDX: every package that is installed with it or bundled in it, with version, license and
// checksum, out of the lock file. Without a time or a random number, so that the same sources give the same bytes.

interface LockedPackage {
  version?: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  link?: boolean;
}

export interface Lock {
  packages: Record<string, LockedPackage>;
}

interface Manifest {
  name: string;
  version: string;
  license: string;
}

export interface ShippedPackage {
  name: string;
  version: string;
  license: string | null;
  integrity: string | null;
}

/** A package with files inside a bundle of the console, the tracker, the demo shop or the kernels. */
export interface BundledPackage extends ShippedPackage {
  /** its folder, from the root of the checkout */
  folder: string;
  files: string[];
}

export interface SbomComponent {
  name: string;
  version: string;
  purl: string;
  licenses: object[];
  hashes: { content: string }[];
  properties: { value: string }[];
}

export interface Sbom {
  components: SbomComponent[];
}

/** Packages that an installation brings along, each version once, by name. */
export function shippedPackages({ packages }: Lock): ShippedPackage[] {
  const found = new Map<string, ShippedPackage>();
  for (const [path, { version = '', license = null, integrity = null, dev, devOptional, link }] of Object.entries(
    packages,
  )) {
    if (path === '' || dev || devOptional || link) continue;
    const name = path.split('node_modules/').at(-1)!;
    found.set(`${name}@${version}`, { name, version, license, integrity });
  }
  return [...found.values()].sort(byPurl);
}

/** The packages that these files are of (see bundled-packages.ts). Throws for a file of a package that is not in the lock file. */
export function bundledPackages({ packages }: Lock, files: readonly string[]): BundledPackage[] {
  const byFolder = Map.groupBy(files, (file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? file);
  const bundled = [...byFolder].map(([folder, files]) => {
    if (!(folder in packages)) throw new Error(`${files[0]} is bundled, and ${folder} is not in the lock file.`);
    const { version = '', license = null, integrity = null } = packages[folder];
    return { name: folder.split('node_modules/').at(-1)!, version, license, integrity, folder, files };
  });
  return bundled.sort(byPurl);
}

export function makeSbom(
  { name, version, license }: Manifest,
  installed: readonly ShippedPackage[],
  bundled: readonly ShippedPackage[],
): object {
  const isInstalled = new Set(installed.map(purlOf));
  const isBundled = new Set(bundled.map(purlOf));
  const shipped = [...installed, ...bundled.filter((one) => !isInstalled.has(purlOf(one)))].sort(byPurl);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purlOf({ name, version }),
        name,
        version,
        purl: purlOf({ name, version }),
        licenses: [{ license: { id: license } }],
      },
    },
    components: shipped.map((one) => ({
      type: 'library',
      'bom-ref': purlOf(one),
      name: one.name,
      version: one.version,
      purl: purlOf(one),
      ...(one.license && { licenses: [licenseOf(one.license)] }),
      ...(one.integrity?.startsWith('sha512-') && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.slice(7), 'base64').toString('hex') }],
      }),
      properties: [
        ...(isInstalled.has(purlOf(one)) ? [{ name: 'kindred:shipped', value: 'installed' }] : []),
        ...(isBundled.has(purlOf(one)) ? [{ name: 'kindred:shipped', value: 'bundled' }] : []),
      ],
    })),
  };
}

const licenseOf = (license: string) => (/[ (]/.test(license) ? { expression: license } : { license: { id: license } });

const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

const byPurl = (a: ShippedPackage, b: ShippedPackage): number => (purlOf(a) < purlOf(b) ? -1 : 1);
