// `kindred backup FILE`: everything a service keeps, in one file, taken while it serves.
//
// The database is copied as of one moment, and every model file that this copy names is in the backup. Model files never change,
// so they can be copied before and after that moment; if one was deleted in between, so was its row, and the database is copied
// again. A backup is complete when its last entry, the checksums, is there and right.
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import { syncFile } from '../../base/sync-file.ts';
import { type BlobStoreConfig, openBlobStore } from '../blob/open-blob-store.ts';
import type { BlobStore } from '../blob-store.ts';
import { RESULT_PREFIX } from '../blob-store.ts';
import { SQLITE_FILE, type StoreConfig } from '../open-store.ts';
import { PostgresDatabase } from '../postgres/postgres-database.ts';
import { readSqliteHead, snapshotSqlite } from '../sqlite/snapshot.ts';
import { BackupWriter } from './backup-writer.ts';
import {
  BACKUP_FORMAT,
  CREDENTIALS_ENTRY,
  type DumpedTable,
  MANIFEST_ENTRY,
  type Manifest,
  SQLITE_ENTRY,
  tableEntry,
} from './manifest.ts';
import { dumpPostgres, readPostgresHead } from './postgres-dump.ts';
import { TarWriter } from './tar.ts';

/** Most copies of the database. Another one is needed only if a model was deleted since the previous one. */
const MAX_SNAPSHOTS = 10;

export type BackupConfig = StoreConfig & BlobStoreConfig;

export interface BackupSummary {
  file: string;
  bytes: number;
  artifacts: number;
}

/** What a backup reads from the database itself. */
export interface DatabaseHead {
  migrations: Manifest['migrations'];
  tables: DumpedTable[];
  /** keys of the model files that the database refers to */
  artifactKeys: string[];
}

interface DatabaseSource {
  kind: Manifest['database'];
  head(): Promise<DatabaseHead>;
  /** Copies the database into the folder, in place of an earlier copy, and returns what the copy contains. */
  snapshot(folder: string): Promise<DatabaseHead>;
  close(): Promise<void>;
}

export async function backup(
  config: BackupConfig,
  file: string,
  runtime: Runtime = systemRuntime,
): Promise<BackupSummary> {
  const target = resolve(file);
  if (existsSync(target)) throw new Error(`${target} exists; a backup does not overwrite.`);
  const workDir = await mkdtemp(join(dirname(target), '.kindred-backup-'));
  const source = sourceOf(config);
  try {
    const partial = join(workDir, 'backup.tar');
    const tar = await TarWriter.create(partial, runtime.nowMs());
    let artifacts: number;
    try {
      const writer = new BackupWriter(tar);
      await writeAll(config, source, writer, workDir);
      await writer.finish();
      artifacts = writer.artifacts;
    } finally {
      await tar.close();
    }
    const { size } = await stat(partial);
    await rename(partial, target);
    await syncFile(dirname(target));
    return { file: target, bytes: size, artifacts };
  } finally {
    await source.close();
    await rm(workDir, { recursive: true, force: true });
  }
}

async function writeAll(
  config: BackupConfig,
  source: DatabaseSource,
  writer: BackupWriter,
  workDir: string,
): Promise<void> {
  const { migrations, tables, artifactKeys } = await source.head();
  await writer.addJson(MANIFEST_ENTRY, {
    format: BACKUP_FORMAT,
    created_ts: writer.createdMs,
    database: source.kind,
    migrations,
    tables,
  } satisfies Manifest);
  const blobs = openBlobStore(config);
  // Copying the files takes longest. Doing it first leaves little time for changes between this copy and the copy of
  // the database.
  await writer.addArtifacts(blobs, artifactKeys);
  const copied = await consistentSnapshot(source, blobs, writer, workDir);
  if (JSON.stringify(copied.migrations) !== JSON.stringify(migrations)) {
    throw new Error('The database was upgraded while it was backed up. Start the backup again.');
  }
  if (source.kind === 'sqlite') await writer.addFile(SQLITE_ENTRY, join(workDir, SQLITE_ENTRY));
  for (const { table } of tables) await writer.addFile(tableEntry(table), join(workDir, `${table}.copy`));
  const credentials = join(config.dataDir, CREDENTIALS_ENTRY);
  if (existsSync(credentials)) await writer.addFile(CREDENTIALS_ENTRY, credentials);
  // Missing result files are ignored: a result that expires meanwhile is not needed.
  await writer.addArtifacts(blobs, keysUnder(blobs, RESULT_PREFIX));
}

/** Copies the database until every file it names is in the backup. */
async function consistentSnapshot(
  source: DatabaseSource,
  blobs: BlobStore,
  writer: BackupWriter,
  workDir: string,
): Promise<DatabaseHead> {
  let missingBefore: string[] = [];
  for (let turn = 1; ; turn++) {
    const copied = await source.snapshot(workDir);
    const missing = await writer.addArtifacts(blobs, copied.artifactKeys);
    if (missing.length === 0) return copied;
    // If a file was deleted, the next copy of the database no longer names it.
    const lost = missing.find((key) => missingBefore.includes(key));
    if (lost !== undefined) {
      throw new Error(
        `The file ${lost} of a model is missing, so the backup would be incomplete. Restore the file or delete its model, then start again.`,
      );
    }
    if (turn === MAX_SNAPSHOTS) throw new Error('Models are deleted faster than they can be copied. Try again later.');
    missingBefore = missing;
  }
}

async function* keysUnder(blobs: BlobStore, prefix: string): AsyncGenerator<string> {
  for await (const { key } of blobs.list(prefix)) yield key;
}

function sourceOf({ dataDir, databaseUrl }: BackupConfig): DatabaseSource {
  if (databaseUrl) {
    // One connection copies, the other holds off writers while the copy begins.
    const database = new PostgresDatabase(databaseUrl, { maxConnections: 2 });
    return {
      kind: 'postgres',
      head: () => readPostgresHead(database),
      snapshot: (folder) => dumpPostgres(database, folder),
      close: () => database.close(),
    };
  }
  const file = join(dataDir, SQLITE_FILE);
  return {
    kind: 'sqlite',
    head: async () => readSqliteHead(file),
    async snapshot(folder) {
      const copy = join(folder, SQLITE_ENTRY);
      await rm(copy, { force: true });
      snapshotSqlite(file, copy);
      return readSqliteHead(copy);
    },
    close: async () => {},
  };
}
