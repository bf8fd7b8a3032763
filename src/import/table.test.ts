import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planImport } from './import-plan.ts';
import { recordMaker } from './record-maker.ts';
import { csvTable, jsonLinesTable, type Table, UnreadableRow, UnreadableTable } from './table.ts';

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

test('a line that never ends is refused before the file is in memory', async () => {
  const csv = endless('user_id,name\nu1,"Anna\n');
  await assert.rejects(
    csvTable(csv.chunks()).then(drain),
    (error) => error instanceof UnreadableTable && /begins "xxx.*no CSV/.test(error.message),
  );
  assert.ok(csv.megabytes < 50, `${csv.megabytes} MB read`);
  const header = endless('');
  await assert.rejects(csvTable(header.chunks()), UnreadableTable);
  assert.ok(header.megabytes < 50, `${header.megabytes} MB read`);
  const lines = endless('{"user_id":"u1"}\n{"user_id":"');
  await assert.rejects(jsonLinesTable(lines.chunks()).then(drain), UnreadableTable);
  assert.ok(lines.megabytes < 50, `${lines.megabytes} MB read`);
});

test('a header may have several lines, and one that cannot be read is refused', async () => {
  assert.deepEqual(await rowsOf(Buffer.from('user_id,"full\nname"\nu1,Anna\n')), [
    ['user_id', 'full\nname'],
    ['u1', 'Anna'],
  ]);
  await assert.rejects(
    rowsOf(Buffer.from('user_id,"name\nu1,Anna\n')),
    (error) => error instanceof UnreadableTable && /the header cannot be read: a quote/.test(error.message),
  );
});

async function* inPieces(all: Buffer) {
  for (let at = 0; at < all.length; at += 3) yield all.subarray(at, at + 3);
}

async function rowsOf(all: Buffer, encoding?: string): Promise<unknown[]> {
  const table = await csvTable(inPieces(all), { encoding });
  const rows: unknown[] = [table.columns];
  for await (const piece of table.pieces) rows.push(...piece);
  return rows;
}

const TEXT = 'user_id;name\nu1;José\nu2;Zoë\n';
const ROWS = [
  ['user_id', 'name'],
  ['u1', 'José'],
  ['u2', 'Zoë'],
];

test('bytes that are no text are refused: ids would be lost in them', async () => {
  await assert.rejects(
    rowsOf(Buffer.from(TEXT, 'latin1')),
    (error) => error instanceof UnreadableTable && /not utf-8 text.*--encoding latin1/.test(error.message),
  );
  assert.deepEqual(await rowsOf(Buffer.from(TEXT, 'latin1'), 'latin1'), ROWS);
  await assert.rejects(rowsOf(Buffer.from('user_id,n\nu1,é').subarray(0, -1)), UnreadableTable);
});

test('a file of UTF-16 says so by its first bytes', async () => {
  const little = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
  assert.deepEqual(await rowsOf(little), ROWS);
  assert.deepEqual(await rowsOf(Buffer.from(little).swap16()), ROWS);
});

test('lines end with a line feed, a carriage return or both, and may be empty', async () => {
  for (const end of ['\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r']) {
    assert.deepEqual(await rowsOf(Buffer.from(end + TEXT.replaceAll('\n', end))), ROWS, JSON.stringify(end));
  }
});

test('a row with a cell too many is skipped, unless its last cells are empty', async () => {
  assert.deepEqual(await rowsOf(Buffer.from('user_id,name\nu1,Smith, Anna\nu2,Bo,,\nu3\n')), [
    ['user_id', 'name'],
    new UnreadableRow('u1,Smith, Anna', 'the row has 3 cells, but there are 2 columns'),
    ['u2', 'Bo'],
    ['u3'],
  ]);
});

test('a JSON array is refused as what it is', async () => {
  const array = Buffer.from('[{"user_id":"u1"},\n{"user_id":"u2"}]');
  await assert.rejects(jsonLinesTable(inPieces(array)), /JSON array.*one object per line/);
});

test('large integers and dates inside lists and objects become what JSON can say', () => {
  const columns = ['item_id', 'sizes', 'maker', 'attributes'];
  const table: Table = { columns, cells: 'typed', pieces: (async function* () {})() };
  const row = ['i1', [1n, 2n, 2n ** 53n + 1n], { since: new Date(5), staff: { count: 7n } }, { stock: [3n] }];
  const record = recordMaker(planImport(table, [row]))(row);
  assert.equal(
    JSON.stringify(record),
    '{"item_id":"i1","attributes":{"sizes":[1,2,"9007199254740993"],"maker":{"since":5,"staff":{"count":7}},"stock":[3]}}',
  );
});

test('whole numbers in JSON keep their digits as ids and stay numbers as attributes', async () => {
  const line =
    '{"event_id":-9007199254740993,"user_id":1234567890123456789,"item_id":9007199254740991,"ts":1762000000000000000,' +
    '"event_value":12345678901234567890,"listed_ns":1762000000000000001,"seller":10000000000000000001,' +
    '"ean":[4006381333931,10000000000000000001],"score":0.12345678901234567,"far":1e21,"attributes":{"born_ns":1762000000000000001}}';
  const table = await jsonLinesTable(
    (async function* () {
      yield Buffer.from(line);
    })(),
  );
  const [[row]] = await Array.fromAsync(table.pieces);
  const plan = planImport(table, [row], { ts_unit: 'us', text: ['seller'] });
  assert.deepEqual(
    plan.notes.filter((text) => text.includes('lose digits')),
    [
      'numbers of listed_ns lose digits: read columns that are ids as text (--text)',
      'numbers in lists or objects of ean, attributes lose digits: write ids in quotes',
    ],
  );
  assert.deepEqual(recordMaker(plan)(row), {
    event_id: '-9007199254740993',
    user_id: '1234567890123456789',
    item_id: '9007199254740991',
    ts: 1_762_000_000_000_000,
    event_type: 'view',
    event_value: Number('12345678901234567890'),
    attributes: {
      listed_ns: 1_762_000_000_000_000_000,
      seller: '10000000000000000001',
      ean: [4006381333931, 10_000_000_000_000_000_000],
      score: Number('0.12345678901234567'),
      far: 1e21,
      born_ns: 1_762_000_000_000_000_000,
    },
  });
});
