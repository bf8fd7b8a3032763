import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleFor, widthOf } from './style.ts';
import { tableView } from './table-view.ts';

const plain = styleFor(process.stdout, { NO_COLOR: '1' });

test('the widest column gives way, and control characters do not reach the terminal', () => {
  const rows = [
    { id: 'a', text: 'x'.repeat(100) },
    { id: 'b', text: '\u001b[2Jboo' },
  ];
  const view = tableView(
    rows,
    [
      { title: 'id', of: (row) => row.id },
      { title: 'text', of: (row) => row.text },
    ],
    20,
    plain,
  );
  assert.deepEqual(view.split('\n'), ['id  text', `a   ${'x'.repeat(15)}…`, 'b    [2Jboo']);
});

test('a column of ids is never cut, and nothing is in what is piped', () => {
  const rows = [{ id: 'job_01k9zq4m2v8h3c7f5x1d0b6n9e', text: 'x'.repeat(200) }];
  const columns = [
    { title: 'id', of: (row: (typeof rows)[0]) => row.id, whole: true },
    { title: 'text', of: (row: (typeof rows)[0]) => row.text },
  ];
  assert.match(tableView(rows, columns, 20, plain), /^job_01k9zq4m2v8h3c7f5x1d0b6n9e {2}x{5}…$/m);
  const piped = widthOf({ isTTY: false } as never);
  assert.match(tableView(rows, columns, piped, plain), /^job_01k9zq4m2v8h3c7f5x1d0b6n9e {2}x{200}$/m);
});

test('a table may have any number of rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, row) => row);
  const view = tableView(rows, [{ title: 'row', of: (row) => row }], 80, plain);
  assert.equal(view.split('\n').length, rows.length + 1);
});
