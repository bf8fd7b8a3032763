import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
import { backup, restore } from '../../src/store/backup.ts';
import { openBlobStore } from '../../src/store/blob/open-blob-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { freshPostgres } from '../support/postgres.ts';
import { countOf, makeAccount, makeDataset, makeEvent, scanAll } from '../support/store-fixtures.ts';
import { DIALECTS } from '../support/test-database.ts';

for (const dialect of DIALECTS) {
  describe(`backup of ${dialect}`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'kindred-backup-'));
    const file = join(dir, 'backup.tar');
    let source: { dataDir: string; databaseUrl?: string };
    let target: { dataDir: string; databaseUrl?: string };
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
      target = await place('target');
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
      writeFileSync(join(dir, 'model'), 'a model');
      await openBlobStore(source).putFile('models/mdl_1.kindred', join(dir, 'model'));
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
      assert.equal(summary.artifacts, 1);
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
      assert.equal(readFileSync(join(target.dataDir, 'credentials.json'), 'utf8'), '{"api_key":"k"}');

      // It goes on as the first one would have.
      const other = await makeDataset(restored, account, 'event');
      await restored.events.upsert(other, [makeEvent({ event_id: 'new' })]);
      await restored.events.upsert(events, [makeEvent({ event_id: 'new', user_id: 'someone' })]);
      assert.equal(await countOf(restored, other), 1);
      assert.equal(await countOf(restored, events), count + 1);
      await restored.close();
      assert.ok(readdirSync(target.dataDir).every((name) => !name.startsWith('.kindred')));
    });

    test('any tar can list it', () => {
      const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n');
      assert.equal(names[0], 'manifest.json');
      assert.ok(names.includes('artifacts/models/mdl_1.kindred'));
    });

    test('neither a backup nor a restore overwrites', async () => {
      await assert.rejects(backup(source, file), /exists/);
      const files = [join(target.dataDir, 'credentials.json'), join(target.dataDir, 'artifacts')];
      for (const path of files) rmSync(path, { recursive: true });
      await assert.rejects(restore(target, file), /without a database|empty one/);
      for (const path of files) assert.ok(!existsSync(path), `${path} was not written`);
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
  });
}
