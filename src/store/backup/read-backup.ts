// Opens a backup file: everything in it is checked before anything of it is used.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../errors.ts';
import {
  ARTIFACTS_PREFIX,
  CHECKSUMS_ENTRY,
  MANIFEST_ENTRY,
  type Manifest,
  migrationsOf,
  readManifest,
  refuseEntry,
} from './manifest.ts';
import { readTarEntries, type TarEntry, tarContent } from './tar.ts';

export class Backup {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: Manifest;
  readonly #entries: ReadonlyMap<string, TarEntry>;

  constructor(file: string, bytes: number, manifest: Manifest, entries: ReadonlyMap<string, TarEntry>) {
    this.file = file;
    this.bytes = bytes;
    this.manifest = manifest;
    this.#entries = entries;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Keys of the model and result files it holds. */
  artifactKeys(): string[] {
    const names = [...this.#entries.keys()].filter((name) => name.startsWith(ARTIFACTS_PREFIX));
    return names.map((name) => name.slice(ARTIFACTS_PREFIX.length));
  }

  /** Writes the entry to a new file. Throws if the target exists. */
  async extract(name: string, target: string): Promise<void> {
    const entry = this.#entries.get(name) ?? this.refuse(`${name} is missing`);
    await pipeline(tarContent(this.file, entry), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
  }

  refuse(why: string): never {
    return refuse(this.file, why);
  }
}

/** Throws if any part of the backup is missing, damaged or unexpected. */
export async function readBackup(file: string): Promise<Backup> {
  const entries = await readTarEntries(file).catch((error: Error) => refuse(file, error.message));
  const first = entries[0];
  const last = entries.at(-1);
  if (first?.name !== MANIFEST_ENTRY || last?.name !== CHECKSUMS_ENTRY)
    return refuse(file, 'its first or last part is missing');
  const byName = new Map<string, TarEntry>();
  for (const entry of entries) {
    const why = byName.has(entry.name) ? `${entry.name} is there twice` : refuseEntry(entry);
    if (why !== null) return refuse(file, why);
    byName.set(entry.name, entry);
  }
  try {
    const checksums = new Map(Object.entries(JSON.parse(await textOf(file, last)) as object));
    for (const entry of entries.slice(0, -1)) {
      const hash = createHash('sha256');
      await pipeline(tarContent(file, entry), hash);
      if (hash.digest('hex') !== checksums.get(entry.name)) throw new Error(`${entry.name} is damaged`);
    }
    const manifest = readManifest(await textOf(file, first));
    migrationsOf(manifest.migrations);
    return new Backup(file, (await stat(file)).size, manifest, byName);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = error instanceof SyntaxError ? 'it has broken JSON' : (error as Error).message;
    return refuse(file, message);
  }
}

function refuse(file: string, why: string): never {
  throw new AppError('INVALID_REQUEST', `${file} is not a whole Kindred backup: ${why}.`);
}

async function textOf(file: string, entry: TarEntry): Promise<string> {
  return Buffer.concat(await Array.fromAsync(tarContent(file, entry) as AsyncIterable<Buffer>)).toString();
}
