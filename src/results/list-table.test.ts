import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetColumns } from './list-table.ts';

test('an attribute has the type that the catalog gives it, whatever it is called', () => {
  const types = { price: 'number' } as const;
  const columns = parquetColumns({ attributes: ['item_id', 'price', 'constructor', 'price'], types });
  assert.deepEqual(
    columns.slice(4).map(({ name, type }) => [name, type]),
    [
      ['price', 'number'],
      ['constructor', 'json'],
    ],
  );
});
