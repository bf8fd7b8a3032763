// `kindred backup FILE` and `kindred restore FILE`: everything a service keeps, in one file, taken while it serves.
//
// The database is copied as of one moment first; model and result files after it, as a file is always there before the row
// that names it. A backup is complete when its last entry, the checksums, is there and right; restore looks at that before it
// touches anything, and puts the database in place last.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../errors.ts';
import {
  ARTIFACTS_PREFIX,
  BACKUP_FORMAT,
  CHECKSUMS_ENTRY,
  CREDENTIALS_ENTRY,
  MANIFEST_ENTRY,
  type Manifest,
  SQLITE_ENTRY,
  TABLES_PREFIX,
} from './backup/manifest.ts';
import { dumpPostgres, hasTables, loadPostgres } from './backup/postgres-dump.ts';
import { readTarEntries, type TarEntry, TarWriter, tarContent } from './backup/tar.ts';
import { publishFile, syncFile } from './blob/durable-file.ts';
import { type BlobStoreConfig, openBlobStore } from './blob/open-blob-store.ts';
import { BlobNotFound } from './blob-store.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { pendingMigrations } from './migrations/migration.ts';
import { SQLITE_FILE, type StoreConfig } from './open-store.ts';
import { PostgresDatabase } from './postgres/postgres-database.ts';
import { snapshotSqlite } from './sqlite/snapshot.ts';

export type BackupConfig = StoreConfig & BlobStoreConfig;

export interface BackupSummary {
  file: string;
  bytes: number;
  artifacts: number;
}

export async function backup(config: BackupConfig, file: string): Promise<BackupSummary> {
  const target = resolve(file);
  if (existsSync(target)) throw new Error(`${target} exists; a backup does not overwrite.`);
  const workDir = await mkdtemp(join(dirname(target), '.kindred-backup-'));
  try {
    const partial = join(workDir, 'backup.tar');
    const tar = await TarWriter.create(partial);
    let artifacts: number;
    try {
      const writer = new BackupWriter(tar);
      artifacts = await writeAll(config, writer, workDir);
      await writer.finish();
    } finally {
      await tar.close();
    }
    const { size } = await stat(partial);
    await rename(partial, target);
    await syncFile(dirname(target));
    return { file: target, bytes: size, artifacts };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function writeAll(config: BackupConfig, tar: BackupWriter, workDir: string): Promise<number> {
  const head = { format: BACKUP_FORMAT, created_ts: Date.now() };
  if (config.databaseUrl) {
    const database = new PostgresDatabase(config.databaseUrl, 1);
    try {
      const { migrations, tables } = await dumpPostgres(database, workDir);
      await tar.addJson(MANIFEST_ENTRY, { ...head, database: 'postgres', migrations, tables } satisfies Manifest);
      for (const { table } of tables)
        await tar.addFile(`${TABLES_PREFIX}${table}.copy`, join(workDir, `${table}.copy`));
    } finally {
      await database.close();
    }
  } else {
    const copy = join(workDir, SQLITE_ENTRY);
    const migrations = snapshotSqlite(join(config.dataDir, SQLITE_FILE), copy);
    await tar.addJson(MANIFEST_ENTRY, { ...head, database: 'sqlite', migrations, tables: [] } satisfies Manifest);
    await tar.addFile(SQLITE_ENTRY, copy);
  }
  const credentials = join(config.dataDir, CREDENTIALS_ENTRY);
  if (existsSync(credentials)) await tar.addFile(CREDENTIALS_ENTRY, credentials);

  const blobs = openBlobStore(config);
  let artifacts = 0;
  for await (const { key } of blobs.list('')) {
    try {
      const { stream, bytes } = await blobs.read(key);
      await tar.add(ARTIFACTS_PREFIX + key, bytes, stream);
      artifacts++;
    } catch (error) {
      // Deleted since it was listed, and so is what named it.
      if (!(error instanceof BlobNotFound)) throw error;
    }
  }
  return artifacts;
}

/** Into an empty data folder and an empty database only. */
export async function restore(config: BackupConfig, file: string): Promise<BackupSummary> {
  const source = resolve(file);
  const { manifest, entries } = await readBackup(source);
  const wanted = config.databaseUrl ? 'postgres' : 'sqlite';
  if (manifest.database !== wanted) {
    throw new Error(
      `The backup is of a ${manifest.database} database, but this configuration uses ${wanted}: ` +
        `${wanted === 'sqlite' ? 'set' : 'unset'} KINDRED_DATABASE_URL to restore it.`,
    );
  }
  // Refuses a backup of a newer version before anything is written.
  pendingMigrations(manifest.migrations, MIGRATIONS);
  await refuseFilled(config);

  await mkdir(config.dataDir, { recursive: true });
  const workDir = await mkdtemp(join(config.dataDir, '.kindred-restore-'));
  try {
    const blobs = openBlobStore(config);
    let artifacts = 0;
    for (const entry of entries.filter(({ name }) => name.startsWith(ARTIFACTS_PREFIX))) {
      const local = join(workDir, randomBytes(8).toString('hex'));
      await extract(source, entry, local);
      await blobs.putFile(entry.name.slice(ARTIFACTS_PREFIX.length), local);
      artifacts++;
    }
    const credentials = entries.find(({ name }) => name === CREDENTIALS_ENTRY);
    const credentialsFile = join(config.dataDir, CREDENTIALS_ENTRY);
    if (credentials && !existsSync(credentialsFile)) await extract(source, credentials, credentialsFile);

    if (config.databaseUrl) {
      await restorePostgres(config.databaseUrl, source, manifest, entries, workDir);
    } else {
      const local = join(workDir, SQLITE_ENTRY);
      await extract(source, entries.find(({ name }) => name === SQLITE_ENTRY)!, local);
      await publishFile(local, join(config.dataDir, SQLITE_FILE));
    }
    return { file: source, bytes: (await stat(source)).size, artifacts };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function refuseFilled({ dataDir, databaseUrl }: BackupConfig): Promise<void> {
  const databaseFile = join(dataDir, SQLITE_FILE);
  if (!databaseUrl) {
    if (existsSync(databaseFile))
      throw new Error(`${databaseFile} exists; restore into a data folder without a database.`);
    return;
  }
  const database = new PostgresDatabase(databaseUrl, 1);
  try {
    if (await hasTables(database)) throw new Error('The database has tables; restore into an empty one.');
  } finally {
    await database.close();
  }
}

async function restorePostgres(
  url: string,
  source: string,
  manifest: Manifest,
  entries: readonly TarEntry[],
  workDir: string,
): Promise<void> {
  const database = new PostgresDatabase(url, 1);
  try {
    for (const { table } of manifest.tables) {
      const entry = entries.find(({ name }) => name === `${TABLES_PREFIX}${table}.copy`)!;
      await extract(source, entry, join(workDir, `${table}.copy`));
    }
    const versions = new Set(manifest.migrations.map(({ version }) => version));
    const migrations = MIGRATIONS.filter(({ version }) => versions.has(version));
    await loadPostgres(database, workDir, manifest.tables, migrations);
  } finally {
    await database.close();
  }
}

async function readBackup(source: string): Promise<{ manifest: Manifest; entries: TarEntry[] }> {
  const refuse = (why: string): never => {
    throw new AppError('INVALID_REQUEST', `${source} is not a whole Kindred backup: ${why}.`);
  };
  const entries = await readTarEntries(source).catch((error: Error) => refuse(error.message));
  const last = entries.at(-1);
  if (entries[0]?.name !== MANIFEST_ENTRY || last?.name !== CHECKSUMS_ENTRY)
    return refuse('its first or last part is missing');
  const checksums = JSON.parse(await textOf(source, last)) as Record<string, string>;
  for (const entry of entries.slice(0, -1)) {
    const hash = createHash('sha256');
    await pipeline(tarContent(source, entry), hash);
    if (hash.digest('hex') !== checksums[entry.name]) return refuse(`${entry.name} is damaged`);
  }
  const manifest = JSON.parse(await textOf(source, entries[0])) as Manifest;
  if (manifest.format !== BACKUP_FORMAT)
    return refuse(`it has format ${manifest.format}, this version reads ${BACKUP_FORMAT}`);
  return { manifest, entries };
}

async function textOf(source: string, entry: TarEntry): Promise<string> {
  return Buffer.concat(await Array.fromAsync(tarContent(source, entry) as AsyncIterable<Buffer>)).toString();
}

async function extract(source: string, entry: TarEntry, target: string): Promise<void> {
  await pipeline(tarContent(source, entry), createWriteStream(target, { mode: 0o600 }));
}

/** A tar file that remembers the checksum of all it is given. */
class BackupWriter {
  readonly #tar: TarWriter;
  readonly #checksums: Record<string, string> = {};

  constructor(tar: TarWriter) {
    this.#tar = tar;
  }

  async add(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    async function* hashed(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        hash.update(chunk);
        yield chunk;
      }
    }
    await this.#tar.add(name, bytes, hashed());
    this.#checksums[name] = hash.digest('hex');
  }

  async addFile(name: string, path: string): Promise<void> {
    await this.add(name, (await stat(path)).size, createReadStream(path));
  }

  async addJson(name: string, value: unknown): Promise<void> {
    const json = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
    await this.add(name, json.length, Readable.from([json]));
  }

  async finish(): Promise<void> {
    await this.addJson(CHECKSUMS_ENTRY, { ...this.#checksums });
    await this.#tar.finish();
  }
}
