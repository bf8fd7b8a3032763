// Once acknowledged, a record survives kill -9 of the process that wrote it; and counts are exact whenever it was killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore, type StoreConfig } from '../../src/store/open-store.ts';
import { freshPostgres } from '../support/postgres.ts';
import { countOf, makeAccount, makeDataset, scanAll } from '../support/store-fixtures.ts';

const KILLS = 8;
const BATCH = 50;
const CHILD = join(import.meta.dirname, '../support/upsert-until-killed.ts');

/** Runs the child until it has acknowledged this many batches, kills it, and returns all acknowledged batches. */
async function writeUntilKilled(args: string[], batches: number): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const exited = new Promise((resolve) => child.on('close', resolve));
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (output.split('\n').length > batches) child.kill('SIGKILL');
  });
  await exited;
  assert.equal(child.signalCode, 'SIGKILL', 'it ended by itself');
  // The last line may be cut off.
  return output.split('\n').slice(0, -1);
}

async function checkDurability(config: StoreConfig): Promise<void> {
  const setup = await openStore(config);
  const account = await makeAccount(setup);
  const events = await makeDataset(setup, account, 'event', 10);
  const items = await makeDataset(setup, account, 'item', 10);
  await setup.close();

  const acknowledged: string[] = [];
  for (let run = 0; run < KILLS; run++) {
    const args = [config.dataDir, account, events.dataset_id, items.dataset_id, `run${run}`, config.databaseUrl ?? ''];
    acknowledged.push(...(await writeUntilKilled(args, 10 + run * 7)));

    const store = await openStore(config);
    for (const line of new Set(acknowledged)) {
      const [kind, name] = line.split(' ');
      for (const i of [0, BATCH - 1]) {
        const found =
          kind === 'event'
            ? await store.events.get(events.dataset_id, `${name}-${i}`)
            : await store.items.get(items.dataset_id, `${name}-${i}`);
        assert.ok(found, `${line} was acknowledged in some run before kill ${run} and is gone`);
      }
    }
    const scanned = await scanAll(store, events);
    assert.equal(await countOf(store, events), scanned.length);
    assert.ok(scanned.length >= BATCH * new Set(acknowledged.filter((line) => line.startsWith('event'))).size);
    let stored = 0;
    for await (const block of store.items.scan(items.dataset_id)) stored += block.length;
    assert.equal(await countOf(store, items), stored);
    await store.close();
  }
}

test('SQLite keeps every acknowledged record when the process is killed again and again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kindred-durable-'));
  await checkDurability({ dataDir });
  rmSync(dataDir, { recursive: true });
});

test('PostgreSQL keeps every acknowledged record when the process is killed again and again', async () => {
  const { url, drop } = await freshPostgres();
  await checkDurability({ dataDir: tmpdir(), databaseUrl: url });
  await drop();
});
