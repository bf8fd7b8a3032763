// Sums of squares get a second column for their large part: see outcomes/outcome-sums.ts. What is too large for the first column
// moves when a sum changes next.
import type { Migration } from './migration.ts';

const sql = (double: string): string =>
  [
    ['outcome_series', 'value_squares_high'],
    ...['outcome_hour', 'outcome_day'].flatMap((table) => [
      [table, 'value_squares_high'],
      [table, 'assisted_value_squares_high'],
    ]),
  ]
    .map(([table, column]) => `ALTER TABLE ${table} ADD COLUMN ${column} ${double} NOT NULL DEFAULT 0;`)
    .join('\n');

export const exactSquares: Migration = {
  version: 35,
  name: 'exact squares',
  sql: { sqlite: sql('REAL'), postgres: sql('DOUBLE PRECISION') },
};
