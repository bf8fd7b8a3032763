import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ownTables } from '../../src/store/backup/manifest.ts';
import { backup, restore } from '../../src/store/backup.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { keptReleases, unpackKeptRelease } from '../support/kept-release.ts';
import { freshPostgres } from '../support/postgres.ts';
import { countOf, makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { forgetModel, storeModel } from '../support/stored-model.ts';
import { DIALECTS } from '../support/test-database.ts';

const KINDRED = join(import.meta.dirname, '../../bin/kindred.js');

for (const dialect of DIALECTS) {
  describe(`backup of ${dialect}`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'kindred-backup-'));
    const file = join(dir, 'backup.tar');
    let source: { dataDir: string; databaseUrl?: string };
    /** Its artifact folder is the root of a disk. */
    let target: { dataDir: string; databaseUrl?: string; artifactsUrl: string };
    const drops: (() => Promise<void>)[] = [];

    async function place(name: string): Promise<{ dataDir: string; databaseUrl?: string }> {
      const dataDir = join(dir, name);
      mkdirSync(dataDir);
      if (dialect === 'sqlite') return { dataDir };
      const { url, drop } = await freshPostgres();
      drops.push(drop);
      return { dataDir, databaseUrl: url };
    }

    before(async () => {
      source = await place('source');
      const disk = join(dir, 'disk');
      mkdirSync(join(disk, 'lost+found'), { recursive: true });
      writeFileSync(join(disk, 'lost+found', '12'), 'not ours');
      target = { ...(await place('target')), artifactsUrl: pathToFileURL(disk).href };
    });
    after(async () => {
      for (const drop of drops) await drop();
      rmSync(dir, { recursive: true });
    });

    test('a backup taken while events come in restores to one moment of them, with all files', async () => {
      const store = await openStore(source);
      const account = await makeAccount(store);
      const events = await makeDataset(store, account, 'event');
      const items = await makeDataset(store, account, 'item');
      await store.items.upsert(items, [{ id: 'i', attributes: { title: 'Ünïcode' } }]);
      const blobs = openBlobStore(source);
      await storeModel(store, blobs, 'mdl_1', 'a model');
      for (const key of ['results/99/job_1.json', 'models/of-no-model.kindred']) {
        writeFileSync(join(dir, 'file'), 'a file');
        await blobs.putFile(key, join(dir, 'file'));
      }
      writeFileSync(join(source.dataDir, 'credentials.json'), '{"api_key":"k"}');

      let stopped = false;
      let acknowledged = 0;
      const writing = (async () => {
        for (let batch = 0; !stopped; batch++) {
          await store.events.upsert(
            events,
            Array.from({ length: 100 }, (_, i) => makeEvent({ event_id: `${batch}-${i}`, user_id: `u${i % 7}` })),
          );
          acknowledged += 100;
        }
      })();
      while (acknowledged < 500) await new Promise((resolve) => setTimeout(resolve, 5));
      const before = acknowledged;
      const summary = await backup(source, file);
      stopped = true;
      await writing;
      await store.close();
      assert.equal(summary.artifacts, 2, 'a file that belongs to no model is not copied');
      assert.equal(statSync(file).mode & 0o077, 0);

      await restore(target, file);
      const restored = await openStore(target);
      const count = await countOf(restored, events);
      assert.ok(
        count >= before && count % 100 === 0 && count <= acknowledged,
        `${before} ≤ ${count} ≤ ${acknowledged}`,
      );
      assert.equal((await scanAll(restored, events)).length, count);
      assert.deepEqual(await restored.items.get(items.dataset_id, 'i'), { id: 'i', attributes: { title: 'Ünïcode' } });
      assert.equal(readFileSync(await openBlobStore(target).localFile('models/mdl_1.kindred'), 'utf8'), 'a model');
      assert.equal(readFileSync(await openBlobStore(target).localFile('results/99/job_1.json'), 'utf8'), 'a file');
      assert.equal(readFileSync(join(target.dataDir, 'credentials.json'), 'utf8'), '{"api_key":"k"}');

      // It continues as the first one would have.
      const other = await makeDataset(restored, account, 'event');
      await restored.events.upsert(other, [makeEvent({ event_id: 'new' })]);
      await restored.events.upsert(events, [makeEvent({ event_id: 'new', user_id: 'someone' })]);
      assert.equal(await countOf(restored, other), 1);
      assert.equal(await countOf(restored, events), count + 1);
      await restored.close();
      assert.ok(readdirSync(target.dataDir).every((name) => !name.startsWith('.kindred')));
    });

    test('every table of the newest schema is known to backups', async () => {
      const store = await openStore(source);
      const tables = await store.database.all<{ name: string }>(
        dialect === 'sqlite'
          ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
          : `SELECT relname AS name FROM pg_class
             WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
      );
      await store.close();
      assert.deepEqual(tables.map(({ name }) => name).sort(), [...ownTables(dialect), 'schema_migration'].sort());
    });

    test('any tar can list it', () => {
      const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n');
      assert.equal(names[0], 'manifest.json');
      assert.ok(names.includes('artifacts/models/mdl_1.kindred'));
    });

    test('neither a backup nor a restore overwrites', async () => {
      await assert.rejects(backup(source, file), /exists/);
      const content = () => readdirSync(target.dataDir, { recursive: true }).sort();
      const before = content();
      await assert.rejects(restore(target, file), /is not empty/);
      assert.deepEqual(content(), before);
    });

    test('a restore refuses a folder with anything in it, and a log left behind destroys nothing', async () => {
      const leftovers = ['kindred.sqlite-wal', 'kindred.sqlite-shm', 'credentials.json', 'artifacts/models/x', 'note'];
      for (const [n, name] of leftovers.entries()) {
        const { dataDir, databaseUrl } = await place(`leftover-${n}`);
        mkdirSync(join(dataDir, name, '..'), { recursive: true });
        writeFileSync(join(dataDir, name), 'left over');
        await assert.rejects(restore({ dataDir, databaseUrl }, file), /is not empty \(.*Restore into a new or empty/);
        assert.equal(readFileSync(join(dataDir, name), 'utf8'), 'left over');
        assert.ok(!existsSync(join(dataDir, 'kindred.sqlite')));
      }
      const elsewhere = await place('elsewhere');
      const artifactsUrl = `file://${join(source.dataDir, 'artifacts')}`;
      await assert.rejects(restore({ ...elsewhere, artifactsUrl }, file), /artifact store is not empty/);
      assert.deepEqual(readdirSync(elsewhere.dataDir), []);
    });

    test('a backup taken while models are deleted holds every file that its database names', async () => {
      const busy = await place('busy');
      const store = await openStore(busy);
      const blobs = openBlobStore(busy);
      const keys: string[] = [];
      for (let n = 0; n < 60; n++) keys.push(await storeModel(store, blobs, `mdl_${n}`, 'x'.repeat(500_000)));
      const kept = keys.splice(-5);
      let isOver = false;
      const deleting = (async () => {
        while (!isOver && !readdirSync(dir).some((name) => name.startsWith('.kindred-backup-')))
          await new Promise((resolve) => setTimeout(resolve, 2));
        // The last one goes first: a backup copies files in the order of their names or rows.
        for (const key of keys.reverse()) {
          await forgetModel(store, blobs, key);
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
      })();
      const copy = join(dir, 'busy.tar');
      await promisify(execFile)(process.execPath, [KINDRED, 'backup', copy], {
        env: {
          ...process.env,
          KINDRED_DATA_DIR: busy.dataDir,
          ...(busy.databaseUrl && { KINDRED_DATABASE_URL: busy.databaseUrl }),
        },
      }).finally(() => {
        isOver = true;
      });
      await deleting;
      await store.close();
      const calm = await place('calm');
      await restore(calm, copy);
      const restored = await openStore(calm);
      const rows = await restored.database.all<{ artifact_key: string }>('SELECT artifact_key FROM model');
      await restored.close();
      const named = rows.map(({ artifact_key }) => artifact_key);
      for (const key of named) assert.ok(statSync(await openBlobStore(calm).localFile(key)).size === 500_000);
      for (const key of kept) assert.ok(named.includes(key));
    });

    test('a model file that is really missing fails the backup and says what to do', async () => {
      const poor = await place('poor');
      const store = await openStore(poor);
      const key = await storeModel(store, openBlobStore(poor), 'mdl_lost', 'gone');
      await openBlobStore(poor).delete(key);
      await store.close();
      await assert.rejects(
        backup(poor, join(dir, 'poor.tar')),
        /models\/mdl_lost\.kindred of a model is missing.*delete its/,
      );
      assert.ok(!existsSync(join(dir, 'poor.tar')));
      assert.ok(readdirSync(dir).every((name) => !name.startsWith('.kindred')));
    });

    test('a damaged or cut-off backup is refused before anything is written', async () => {
      const empty = await place('empty');
      const damaged = join(dir, 'damaged.tar');
      const bytes = readFileSync(file);
      bytes[Math.floor(bytes.length / 2)] ^= 1;
      writeFileSync(damaged, bytes);
      await assert.rejects(restore(empty, damaged), /not a whole Kindred backup/);
      truncateSync(damaged, bytes.length - 5000);
      await assert.rejects(restore(empty, damaged), /not a whole Kindred backup/);
      writeFileSync(damaged, 'something else');
      await assert.rejects(restore(empty, damaged), /not a whole Kindred backup/);
      assert.deepEqual(readdirSync(empty.dataDir), []);
    });

    test('what an earlier release made can be backed up and restored, before and after it is upgraded', async () => {
      for (const release of keptReleases()) {
        const kept = await unpackKeptRelease(release, dialect);
        for (const state of ['before', 'after']) {
          if (state === 'after') await (await openStore(kept)).close();
          const copy = join(dir, `${release}-${state}.tar`);
          await backup(kept, copy);
          const again = await place(`${release}-${state}`);
          await restore(again, copy);
          const restored = await openStore(again);
          const models = await restored.database.all<{ artifact_key: string }>('SELECT artifact_key FROM model');
          await restored.close();
          assert.ok(models.length > 0);
          for (const { artifact_key } of models) await openBlobStore(again).localFile(artifact_key);
        }
        await kept.remove();
      }
    });
  });
}
