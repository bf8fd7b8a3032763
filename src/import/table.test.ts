import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planImport } from './import-plan.ts';
import { recordMaker } from './record-maker.ts';
import { csvTable, jsonLinesTable, type Table, UnreadableTable } from './table.ts';

const MEGABYTE = 1024 * 1024;

/** A line and then text without an end to it; the source counts what is taken of it. */
function endless(start: string) {
  const source = {
    megabytes: 0,
    async *chunks() {
      yield Buffer.from(start);
      const chunk = Buffer.alloc(MEGABYTE, 'x');
      for (; source.megabytes < 200; source.megabytes++) yield chunk;
    },
  };
  return source;
}

async function drain(table: Table): Promise<void> {
  for await (const _ of table.pieces);
}

test('a quote that is never closed, or a line that never ends, is refused before the file is in memory', async () => {
  const csv = endless('user_id,name\nu1,"Anna\n');
  await assert.rejects(
    csvTable(csv.chunks()).then(drain),
    (error) => error instanceof UnreadableTable && /begins "u1,.*quote/.test(error.message),
  );
  assert.ok(csv.megabytes < 50, `${csv.megabytes} MB read`);
  const lines = endless('{"user_id":"u1"}\n{"user_id":"');
  await assert.rejects(jsonLinesTable(lines.chunks()).then(drain), UnreadableTable);
  assert.ok(lines.megabytes < 50, `${lines.megabytes} MB read`);
});

test('large integers and dates inside lists and objects become what JSON can say', () => {
  const columns = ['item_id', 'sizes', 'maker', 'attributes'];
  const table: Table = { columns, cells: 'typed', pieces: (async function* () {})() };
  const row = ['i1', [1n, 2n], { since: new Date(5), staff: { count: 7n } }, { stock: [3n] }];
  const record = recordMaker(planImport(table, [row]))(row);
  assert.equal(
    JSON.stringify(record),
    '{"item_id":"i1","attributes":{"sizes":[1,2],"maker":{"since":5,"staff":{"count":7}},"stock":[3]}}',
  );
});
