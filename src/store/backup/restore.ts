// `kindred restore FILE`: brings a backup back, into an empty data folder, an empty artifact store and an empty database.
//
// Everything is checked before it is put in place: the whole file against its checksums, the database for damage, and that every
// model file it names is there. The database comes last. When anything fails, what was put in place before is removed.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../../errors.ts';
import { publishFile } from '../blob/durable-file.ts';
import { openBlobStore } from '../blob/open-blob-store.ts';
import { BLOB_PREFIXES, type BlobStore } from '../blob-store.ts';
import { SQLITE_FILE } from '../open-store.ts';
import { PostgresDatabase } from '../postgres/postgres-database.ts';
import { checkSqliteCopy } from '../sqlite/snapshot.ts';
import type { BackupConfig, BackupSummary } from './backup.ts';
import { ARTIFACTS_PREFIX, CREDENTIALS_ENTRY, migrationsOf, SQLITE_ENTRY, tableEntry } from './manifest.ts';
import { hasTables, loadPostgres } from './postgres-dump.ts';
import { type Backup, readBackup } from './read-backup.ts';

/** Names that a new file system has in its root folder. */
const IGNORED_NAMES = ['lost+found'];

export async function restore(config: BackupConfig, file: string): Promise<BackupSummary> {
  const backup = await readBackup(resolve(file));
  const wanted = config.databaseUrl ? 'postgres' : 'sqlite';
  if (backup.manifest.database !== wanted) {
    throw new Error(
      `The backup is of a ${backup.manifest.database} database, but this configuration uses ${wanted}: ` +
        `${wanted === 'sqlite' ? 'set' : 'unset'} KINDRED_DATABASE_URL to restore it.`,
    );
  }
  const blobs = openBlobStore(config);
  await refuseFilled(config, blobs);

  const madeFolder = await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const workDir = await mkdtemp(join(config.dataDir, '.kindred-restore-'));
  const placed: (() => Promise<void>)[] = [];
  try {
    const database = wanted === 'sqlite' ? await checkedSqlite(backup, workDir) : await extractTables(backup, workDir);
    const artifacts = backup.artifactKeys();
    for (const [n, key] of artifacts.entries()) {
      const local = join(workDir, `artifact-${n}`);
      await backup.extract(ARTIFACTS_PREFIX + key, local);
      placed.push(() => blobs.delete(key));
      await blobs.putFile(key, local);
    }
    if (backup.has(CREDENTIALS_ENTRY)) {
      const credentials = join(config.dataDir, CREDENTIALS_ENTRY);
      await backup.extract(CREDENTIALS_ENTRY, join(workDir, CREDENTIALS_ENTRY));
      placed.push(() => rm(credentials, { force: true }));
      await publishFile(join(workDir, CREDENTIALS_ENTRY), credentials);
    }
    await database.place(config);
    return { file: backup.file, bytes: backup.bytes, artifacts: artifacts.length };
  } catch (error) {
    for (const remove of placed) await remove();
    await rm(workDir, { recursive: true, force: true });
    await removeEmptyFolders(config.dataDir, madeFolder ?? null);
    throw error;
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The database of a backup, ready to be put in place. */
interface CheckedDatabase {
  place(config: BackupConfig): Promise<void>;
}

async function checkedSqlite(backup: Backup, workDir: string): Promise<CheckedDatabase> {
  const local = join(workDir, SQLITE_ENTRY);
  await backup.extract(SQLITE_ENTRY, local);
  let artifactKeys: string[];
  try {
    ({ artifactKeys } = checkSqliteCopy(local, migrationsOf));
  } catch (error) {
    return backup.refuse((error as Error).message);
  }
  requireArtifacts(backup, artifactKeys);
  return { place: ({ dataDir }) => publishFile(local, join(dataDir, SQLITE_FILE)) };
}

async function extractTables(backup: Backup, folder: string): Promise<CheckedDatabase> {
  const { migrations, tables } = backup.manifest;
  for (const { table } of tables) {
    // For a table that is not ours there is no entry, so this refuses it too.
    if (!backup.has(tableEntry(table))) return backup.refuse(`it lacks the table ${JSON.stringify(table)}`);
    await backup.extract(tableEntry(table), join(folder, `${table}.copy`));
  }
  return {
    async place({ databaseUrl }) {
      const database = new PostgresDatabase(databaseUrl!, { maxConnections: 1 });
      try {
        await loadPostgres(database, {
          folder,
          tables,
          migrations: migrationsOf(migrations),
          checkArtifacts: (keys) => requireArtifacts(backup, keys),
        });
      } catch (error) {
        if (error instanceof AppError) throw error;
        backup.refuse((error as Error).message);
      } finally {
        await database.close();
      }
    },
  };
}

function requireArtifacts(backup: Backup, artifactKeys: readonly string[]): void {
  const missing = artifactKeys.find((key) => !backup.has(ARTIFACTS_PREFIX + key));
  if (missing !== undefined) backup.refuse(`it lacks the model file ${JSON.stringify(missing)}`);
}

async function refuseFilled({ dataDir, databaseUrl }: BackupConfig, blobs: BlobStore): Promise<void> {
  const names = existsSync(dataDir) ? await readdir(dataDir) : [];
  const kept = names.filter((name) => !IGNORED_NAMES.includes(name));
  if (kept.length > 0) {
    const shown = `${kept.slice(0, 3).join(', ')}${kept.length > 3 ? ', …' : ''}`;
    throw new Error(`${dataDir} is not empty (${shown}). Restore into a new or empty folder.`);
  }
  for (const prefix of BLOB_PREFIXES) {
    for await (const { key } of blobs.list(prefix)) {
      throw new Error(`The artifact store is not empty (${key}). Restore into an empty one.`);
    }
  }
  if (!databaseUrl) return;
  const database = new PostgresDatabase(databaseUrl, { maxConnections: 1 });
  try {
    if (await hasTables(database)) throw new Error('The database has tables. Restore into an empty one.');
  } finally {
    await database.close();
  }
}

/**
 * Removes empty folders below this one and, if the restore created the folder, its new parents. Folders that hold a
 * file stay.
 */
async function removeEmptyFolders(folder: string, firstMade: string | null): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of folders.sort().reverse()) await rmdir(path).catch(() => {});
  if (firstMade === null) return;
  const first = resolve(firstMade);
  for (let path = resolve(folder); path.length >= first.length; path = dirname(path)) await rmdir(path).catch(() => {});
}
