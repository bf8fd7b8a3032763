import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleFor } from './style.ts';
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

test('a table may have any number of rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, row) => row);
  const view = tableView(rows, [{ title: 'row', of: (row) => row }], 80, plain);
  assert.equal(view.split('\n').length, rows.length + 1);
});
