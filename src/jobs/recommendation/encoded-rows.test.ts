// The table that is written next to the lines is the one that the lines give.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { listTable } from '../../results/list-table.ts';
import { joinBodies, ListRows, TableBody } from './encoded-rows.ts';

const COLUMNS = {
  attributes: ['title', 'price', 'isNew', 'tags', 'rank', 'item_id'],
  types: { title: 'text', price: 'number', isNew: 'boolean', tags: 'json', rank: 'number' },
} as const;
const ITEMS = [
  { item_id: 'i1', title: 'Grüße, "Welt"', price: 1.5, isNew: true, tags: ['a', 'b'], rank: 3 },
  { item_id: '=2+3', title: null, price: null, isNew: null, tags: null, rank: null },
  { item_id: 'i3\nnext', title: '', price: -0.25, isNew: false, tags: { deep: [1] }, rank: 0 },
];

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-rows-'));
});
after(() => rm(folder, { recursive: true }));

/** Pieces of batches of users, who have from no to three items. */
async function write(format: 'csv' | 'parquet', pieces: readonly (readonly (readonly number[])[])[]) {
  const place = await mkdtemp(join(folder, 'made-'));
  let lines = '';
  let user = 0;
  const made = [];
  for (const [n, batches] of pieces.entries()) {
    const own = join(place, String(n));
    await mkdir(own);
    const rows = new ListRows(format, COLUMNS);
    const body = await TableBody.create(own);
    for (const lengths of batches) {
      for (const length of lengths) {
        const user_id = `u${user++}`;
        const results = ITEMS.slice(0, length).map((item, at) => (at === 1 ? { item } : { item, score: at / 3 }));
        lines += `${JSON.stringify({ user_id, objective: 'discover', results })}\n`;
        for (const [at, { item, score = null }] of results.entries())
          rows.add(user_id, at + 1, rows.cellsOf(item), score);
      }
      const encoded = rows.take();
      if (encoded !== null) await body.write(encoded);
    }
    await body.finish();
    await body.close();
    made.push({ facts: null, file: async (name: string) => join(own, name) });
  }
  const linesFile = join(place, 'lines');
  await writeFile(linesFile, lines);
  await listTable(format, COLUMNS)!.make(linesFile, join(place, 'expected'));
  await joinBodies(format, COLUMNS, made, join(place, 'joined'));
  return { expected: await readFile(join(place, 'expected')), joined: await readFile(join(place, 'joined')) };
}

const CASES = {
  'one piece': [[[3, 2, 0, 1]]],
  'several pieces of several batches': [[[3, 1], [0], [2]], [[]], [[1], [3, 3]], [[2]]],
  nobody: [[[]], [[0]]],
};

for (const [what, pieces] of Object.entries(CASES)) {
  test(`a CSV file of ${what} is the one made from the lines`, async () => {
    const { expected, joined } = await write('csv', pieces);
    assert.equal(joined.toString(), expected.toString());
  });

  test(`a Parquet file of ${what} has the rows and columns of the one made from the lines`, async () => {
    const { expected, joined } = await write('parquet', pieces);
    const [fileOf, otherFileOf] = [new Uint8Array(joined).buffer, new Uint8Array(expected).buffer];
    const rowsOf = (file: typeof fileOf) => parquetReadObjects({ file, compressors });
    assert.deepEqual(await rowsOf(fileOf), await rowsOf(otherFileOf));
    const [about, aboutOther] = [parquetMetadata(fileOf), parquetMetadata(otherFileOf)];
    assert.deepEqual([about.schema, about.num_rows], [aboutOther.schema, aboutOther.num_rows]);
    // Groups do not overlap and leave no gap: other readers look there.
    let at = 4n;
    for (const { columns } of about.row_groups) {
      for (const { file_offset, meta_data } of columns) {
        assert.equal(file_offset, at);
        assert.equal(meta_data!.dictionary_page_offset ?? meta_data!.data_page_offset, at);
        at += meta_data!.total_compressed_size;
      }
    }
  });
}
