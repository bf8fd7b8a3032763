// Backups made to do harm: none writes outside its folder, reaches SQL or leaves anything behind.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { backup, restore } from '../../src/store/backup.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';
import { type CraftedEntry, readEntries, writeCrafted } from '../support/crafted-backup.ts';
import { makeAccount, makeDataset, makeEvent } from '../support/store-fixtures.ts';
import { storeModel } from '../support/stored-model.ts';
import { DIALECTS, newTestPlace, type TestPlace } from '../support/test-database.ts';

interface Manifest {
  migrations: unknown;
  tables: { table: string; columns: string[] }[];
}

for (const dialect of DIALECTS) {
  describe(`crafted backups of ${dialect}`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'kindred-crafted-'));
    const crafted = join(dir, 'crafted.tar');
    let good: CraftedEntry[];
    let target: TestPlace;

    before(async () => {
      const source = await newTestPlace(dialect);
      target = await newTestPlace(dialect);
      const store = await openStore(source);
      const account = await makeAccount(store);
      const events = await makeDataset(store, account, 'event');
      await store.events.upsert(events, [makeEvent({ event_id: 'e1' }), makeEvent({ event_id: 'e2' })]);
      await storeModel(store, openBlobStore(source), 'mdl_1', 'a model');
      await store.close();
      writeFileSync(join(source.dataDir, 'credentials.json'), '{}');
      await backup(source, join(dir, 'good.tar'));
      await source.remove();
      good = readEntries(join(dir, 'good.tar')).slice(0, -1);
    });
    after(async () => {
      await target.remove();
      rmSync(dir, { recursive: true });
    });

    /** Restores into a folder inside another, so that a step outside would show; nothing may be left. */
    async function assertRefused(entries: readonly CraftedEntry[], why: RegExp): Promise<void> {
      const outside = join(dir, 'outside');
      mkdirSync(join(outside, 'inside'), { recursive: true });
      writeCrafted(crafted, entries);
      const dataDir = join(outside, 'inside');
      await assert.rejects(restore({ dataDir, databaseUrl: target.databaseUrl }, crafted), why);
      assert.deepEqual(readdirSync(outside, { recursive: true }), ['inside']);
      if (target.databaseUrl) assert.deepEqual(await tablesOf(target.databaseUrl), []);
    }

    const withEntry = (entry: CraftedEntry): CraftedEntry[] => [...good, entry];
    const withManifest = (change: (manifest: Manifest) => void): CraftedEntry[] =>
      good.map((entry) => {
        if (entry.name !== 'manifest.json') return entry;
        const manifest = JSON.parse(entry.content.toString());
        change(manifest);
        return { ...entry, content: Buffer.from(JSON.stringify(manifest)) };
      });

    test('the entries as they are restore', async () => {
      writeCrafted(crafted, good);
      const place = await newTestPlace(dialect);
      await restore(place, crafted);
      assert.equal(readFileSync(await openBlobStore(place).localFile('models/mdl_1.kindred'), 'utf8'), 'a model');
      await place.remove();
    });

    for (const name of [
      '../outside.txt',
      '/tmp/kindred-absolute',
      'artifacts/../../outside',
      'artifacts/models/../../../outside',
      'artifacts//models/x',
      'artifacts/models/.hidden',
      'artifacts/models/a\\b',
      'artifacts/elsewhere/x',
      'artifacts/models/',
      'artifacts/',
      'tables/../outside.copy',
      'tables/pg_authid.copy',
      'kindred.sqlite-wal',
      'credentials.json/x',
      '',
    ]) {
      test(`an entry named ${JSON.stringify(name)} is refused`, () =>
        assertRefused(withEntry({ name, content: Buffer.from('evil') }), /not a (name|table)/));
    }

    for (const [what, type] of [
      ['symbolic link', '2'],
      ['hard link', '1'],
      ['folder', '5'],
      ['long name', 'L'],
    ]) {
      test(`a ${what} is refused`, () => {
        const entry = { name: 'artifacts/models/x.kindred', content: Buffer.alloc(0), type, linkName: '/etc/passwd' };
        return assertRefused(withEntry(entry), /links or folders/);
      });
    }

    test('sizes that are impossible or larger than the file are refused', async () => {
      const huge = Buffer.alloc(12);
      huge[0] = 0x80;
      huge.writeBigUInt64BE(2n ** 63n, 4);
      for (const size of [huge, '77777777777\0', '-0000000001\0', 'nonsense\0\0\0\0', '\0'.repeat(12)]) {
        const entry = { name: 'artifacts/models/x.kindred', content: Buffer.from('x'), size };
        await assertRefused(withEntry(entry), /impossible size|cut off|no tar/);
      }
      const large = withManifest((manifest) => Object.assign(manifest, { padding: 'x'.repeat(2_000_000) }));
      await assertRefused(large, /manifest\.json is too large/);
    });

    test('an entry that is there twice, a missing one and broken JSON are refused', async () => {
      await assertRefused([...good, good[1]], /twice/);
      await assertRefused(
        good.filter(({ name }) => !name.startsWith('kindred') && !name.startsWith('tables')),
        /missing|lacks/,
      );
      await assertRefused([...good, { name: 'checksums.json', content: Buffer.from('{') }], /broken JSON/);
      await assertRefused([...good, { name: 'checksums.json', content: Buffer.from('null') }], /not a whole/);
      await assertRefused([...good, { name: 'checksums.json', content: Buffer.from('{}') }], /is damaged/);
    });

    test('a manifest cannot bring its own schema', async () => {
      await assertRefused(
        withManifest((manifest) => {
          manifest.migrations = [{ version: 1, name: 'of somebody else' }];
        }),
        /not made by Kindred/,
      );
      await assertRefused(
        withManifest((manifest) => {
          manifest.migrations = 'all';
        }),
        /names no migrations/,
      );
      await assertRefused(
        withManifest((manifest) => {
          manifest.migrations = [];
        }),
        /not made by Kindred/,
      );
    });

    test('a model file that the database names and the backup lacks is refused', () =>
      assertRefused(
        good.filter(({ name }) => !name.startsWith('artifacts/')),
        /lacks the model file "models\/mdl_1\.kindred"/,
      ));

    if (dialect === 'postgres') {
      test('names of tables and columns in a manifest never reach SQL', async () => {
        const evil = 'account (account_id) FROM STDIN; CREATE TABLE owned (x int); --';
        for (const change of [
          (manifest: Manifest) => manifest.tables.push({ table: evil, columns: ['x'] }),
          (manifest: Manifest) => manifest.tables[0].columns.push('x) FROM STDIN; CREATE TABLE owned (x int); --'),
          (manifest: Manifest) => manifest.tables.reverse().splice(1),
        ]) {
          await assertRefused(withManifest(change), /lacks the table|its tables are not those/);
        }
      });

      test('table files that are no data are refused, and nothing is left', async () => {
        const broken = good.map((entry) =>
          entry.name === 'tables/account.copy' ? { ...entry, content: Buffer.from('DROP TABLE account') } : entry,
        );
        await assertRefused(broken, /not a whole Kindred backup/);
      });
    } else {
      const withDatabase = (change: (file: string) => void): CraftedEntry[] =>
        good.map((entry) => {
          if (entry.name !== 'kindred.sqlite') return entry;
          const file = join(dir, 'changed.sqlite');
          writeFileSync(file, entry.content);
          change(file);
          return { ...entry, content: readFileSync(file) };
        });
      const withSql = (sql: string): CraftedEntry[] =>
        withDatabase((file) => {
          const db = new DatabaseSync(file);
          db.exec(sql);
          db.close();
        });

      test('a database with triggers, views, tables or columns of its own is refused', async () => {
        for (const sql of [
          'CREATE TRIGGER evil AFTER INSERT ON account BEGIN DELETE FROM event; END',
          'CREATE VIEW evil AS SELECT * FROM api_key',
          'CREATE TABLE evil (x)',
          'ALTER TABLE account ADD COLUMN evil',
          'DROP INDEX api_key_by_account',
        ]) {
          await assertRefused(withSql(sql), /a schema that is not ours/);
        }
      });

      test('a database with damaged pages, or none at all, is refused', async () => {
        const harm = (from: number) => (file: string) => {
          const bytes = readFileSync(file);
          bytes.fill(0x5a, from, from + 3000);
          writeFileSync(file, bytes);
        };
        for (const from of [0, 4096, 4096 * 5]) await assertRefused(withDatabase(harm(from)), /database is damaged/);
        await assertRefused(
          withDatabase((file) => writeFileSync(file, '')),
          /not made by Kindred/,
        );
      });
    }

    test('a restore that fails in a folder of its own making leaves no folder', async () => {
      writeCrafted(
        crafted,
        good.filter(({ name }) => !name.startsWith('artifacts/')),
      );
      const dataDir = join(dir, 'new', 'folder');
      await assert.rejects(restore({ dataDir, databaseUrl: target.databaseUrl }, crafted), /lacks the model file/);
      assert.ok(!existsSync(join(dir, 'new')));
    });
  });
}

async function tablesOf(url: string): Promise<string[]> {
  const database = new PostgresDatabase(url, { maxConnections: 1 });
  const rows = await database.all<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  await database.close();
  return rows.map(({ name }) => name);
}
