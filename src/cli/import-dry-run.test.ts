import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { KindredError } from '../client/index.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import type { CommandContext } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { dryRunOf, dryRunText, showDryRun } from './import-dry-run.ts';
import { type ImportFlags, prepare } from './import-prepare.ts';

async function prepared(t: TestContext, lines: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-dry-run-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'rows.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  const file = await prepare(path, { parallel: 1 });
  t.after(() => file.source.close());
  return file;
}

async function dryRun(t: TestContext, lines: string[], schema: AttributeSchema | null = null) {
  return dryRunOf(await prepared(t, lines), schema, t.signal);
}

test('a dry run says how many of the rows it read would be skipped', async (t) => {
  const rows = Array.from({ length: 30 }, (_, row) => `${row === 21 || row === 25 ? '' : 'u'},x,2024-01-01`);
  const run = await dryRun(t, ['user,item,time', ...rows]);
  const { rows_read, skipped, first_skipped, records } = run;
  assert.deepEqual([rows_read, skipped, first_skipped], [30, 2, 'row 22: user_id is empty']);
  assert.equal(records.length, 1, 'the others repeat it');
  const line = dryRunText(run).split('\n')[1];
  assert.equal(line, '2 of the first 30 rows would be skipped; the first is row 22: user_id is empty');
});

test('a dry run counts the rows that the upsert calls would refuse', async (t) => {
  const { skipped, first_skipped, records } = await dryRun(t, ['item_id,price', `${'x'.repeat(300)},5`, 'b,6', 'c,7']);
  assert.equal(skipped, 1);
  assert.match(first_skipped ?? '', /^row 1: item_id .*256/);
  assert.deepEqual(records, [
    { item_id: 'b', attributes: { price: 6 } },
    { item_id: 'c', attributes: { price: 7 } },
  ]);
});

test('a dry run checks the attribute schema of the dataset', async (t) => {
  const lines = ['item_id,price', 'a,5', 'b,n/a', 'c,7'];
  const { skipped, first_skipped, records } = await dryRun(t, lines, { price: 'NUMERICAL' });
  assert.deepEqual([skipped, records], [3, []]);
  assert.equal(first_skipped, 'row 1: attribute "price" is NUMERICAL: its value must be a number.');
  assert.equal((await dryRun(t, lines)).skipped, 0);
});

test('a dry run into a dataset reads its attribute schema, and does without where it cannot', async (t) => {
  const file = await prepared(t, ['item_id,price', 'b,n/a']);
  const saying = async (getItemDataset: () => Promise<unknown>) => {
    const said: string[] = [];
    const speaker = {
      say: (text: string) => said.push(text),
      result: (_: unknown, text: () => string) => said.push(text()),
    };
    const kindred = () => ({ getItemDataset });
    const context = { flags: { dataset: 'ids_1' }, kindred, speaker, signal: t.signal };
    await showDryRun([file], context as unknown as CommandContext<ImportFlags>);
    return said.join('\n');
  };
  assert.match(await saying(async () => ({ attribute_schema: { price: 'NUMERICAL' } })), /1 of the first 1 row would/);
  const narrow = new KindredError('No.', { code: 'INSUFFICIENT_SCOPE', status: 403 });
  const unchecked = /^The attribute_schema of the dataset was not checked: No\.\n{"item_id":"b"/;
  assert.match(await saying(() => Promise.reject(narrow)), unchecked);
  assert.match(await saying(() => Promise.reject(new UsageError('No.'))), unchecked);
});
