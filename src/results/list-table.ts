// The lists of a recommendation job as a table, one row per user and item. Made next to the JSON Lines (jobs/recommendation/encoded-rows.ts), or from them:
// when users are deleted, the lines are rewritten and the table is made again.
import { createReadStream } from 'node:fs';
import { type CsvCell, csvLine } from '../base/csv-line.ts';
import type { AttributeTypes, ListFormat } from '../domain/recommendation-job.ts';
import { linesOf } from './files/lines-of.ts';
import { TextFile } from './files/text-file.ts';
import { DELETED_USER } from './named-users.ts';
import { type ParquetColumn, ParquetFile } from './parquet-file.ts';
import type { LineTable } from './publish-lines.ts';
import { lineWriter } from './rename-users.ts';

/** Columns that every table has. An attribute with such a name becomes `item.NAME`. */
const FIXED_COLUMNS = ['user_id', 'rank', 'item_id', 'score'] as const;

/** The attributes of a table. */
export interface ListColumns {
  readonly attributes: readonly string[];
  /** only for tables with types */
  readonly types: AttributeTypes;
  /** rows of a table that are encoded at a time; left out: a number that suits readers */
  readonly groupRows?: number;
}

interface ListLine {
  readonly user_id: string;
  readonly results: readonly { readonly item: Record<string, unknown>; readonly score?: number }[];
}

export function tableColumns(attributes: readonly string[]): string[] {
  const fixed: readonly string[] = FIXED_COLUMNS;
  return [...fixed, ...ownNames(attributes).map((name) => (fixed.includes(name) ? `item.${name}` : name))];
}

/** Rows of the table, in the order of the columns. */
async function* tableRows(linesFile: string, attributes: readonly string[]): AsyncGenerator<unknown[]> {
  const names = ownNames(attributes);
  for await (const line of linesOf(createReadStream(linesFile))) {
    const { user_id, results } = JSON.parse(line) as ListLine;
    for (const [n, { item, score }] of results.entries()) {
      yield [user_id, n + 1, item.item_id, score ?? null, ...names.map((name) => item[name])];
    }
  }
}

/** Returns null if only the lines are wanted. */
export function listTable(format: ListFormat, columns: ListColumns): LineTable | null {
  switch (format) {
    case 'jsonl':
      return null;
    case 'csv':
      return { format, make: (lines, target) => writeCsv(lines, columns.attributes, target) };
    case 'parquet':
      return { format, make: (lines, target) => writeParquet(lines, columns, target) };
    default:
      return format satisfies never;
  }
}

async function writeCsv(linesFile: string, attributes: readonly string[], target: string): Promise<void> {
  const file = await TextFile.create(target);
  try {
    await file.write(csvLine(tableColumns(attributes)));
    for await (const row of tableRows(linesFile, attributes)) await file.write(csvRow(row));
  } finally {
    await file.close();
  }
}

async function writeParquet(linesFile: string, columns: ListColumns, target: string): Promise<void> {
  const file = await ParquetFile.create(target, parquetColumns(columns), columns.groupRows);
  try {
    for await (const row of tableRows(linesFile, columns.attributes)) await file.add(row);
    await file.finish();
  } finally {
    await file.close();
  }
}

/** The list of a deleted user remains. The user is the first field of a line (jobs/recommendation/list-writer.ts). */
export const writeListsWithout = lineWriter(
  (line, userId) => userField(DELETED_USER) + line.slice(userField(userId).length),
);

const userField = (userId: string): string => `{"user_id":${JSON.stringify(userId)}`;

/** Attributes that have a column of their own. */
export function ownNames(attributes: readonly string[]): string[] {
  return [...new Set(attributes)].filter((name) => name !== 'item_id');
}

export function parquetColumns({ attributes, types }: Pick<ListColumns, 'attributes' | 'types'>): ParquetColumn[] {
  const own = ownNames(attributes).map((name) => (Object.hasOwn(types, name) ? types[name] : 'json'));
  const columnTypes = ['text', 'whole', 'text', 'number', ...own] as const;
  return tableColumns(attributes).map((name, n) => ({ name, type: columnTypes[n] }));
}

export function csvRow(row: readonly unknown[]): string {
  return csvLine(row.map(cellOf));
}

function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as CsvCell);
}
