// What the package is made of, as CycloneDX: every package that is installed with it, with version, license and checksum, out of the
// lock file. Without a time or a random number, so that the same sources give the same bytes.

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
  return [...found.values()].sort((a, b) => (purlOf(a) < purlOf(b) ? -1 : 1));
}

export function makeSbom({ name, version, license }: Manifest, lock: Lock): object {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        ...{
          type: 'application',
          'bom-ref': purlOf({ name, version }),
          name,
          version,
          purl: purlOf({ name, version }),
        },
        licenses: [{ license: { id: license } }],
      },
    },
    components: shippedPackages(lock).map((one) => ({
      ...{ type: 'library', 'bom-ref': purlOf(one), name: one.name, version: one.version, purl: purlOf(one) },
      ...(one.license && { licenses: [licenseOf(one.license)] }),
      ...(one.integrity?.startsWith('sha512-') && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.slice(7), 'base64').toString('hex') }],
      }),
    })),
  };
}

const licenseOf = (license: string) => (/[ (]/.test(license) ? { expression: license } : { license: { id: license } });

const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;
