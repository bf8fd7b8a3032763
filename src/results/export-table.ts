// Writes the result of an export job: one JSON object per line, with the fields of the upsert calls, and the same data as a
// table. A table is made from the lines and never changed itself: when users are deleted, the lines are rewritten and the table
// is made again.
import { createReadStream } from 'node:fs';
import type { Exported, ExportFormat } from '../domain/export-job.ts';
import { linesOf } from './files/lines-of.ts';
import { type ParquetColumn, ParquetFile } from './parquet-file.ts';
import type { LineTable } from './publish-lines.ts';
import { lineWriter } from './rename-users.ts';

const USER: ParquetColumn = { name: 'user_id', type: 'text' };
const ITEM: ParquetColumn = { name: 'item_id', type: 'text' };
const ATTRIBUTES: ParquetColumn = { name: 'attributes', type: 'json' };
const VECTOR: ParquetColumn = { name: 'vector', type: 'floats' };

const counted = (name: string): ParquetColumn => ({ name, type: 'number' });
const REPORT: readonly ParquetColumn[] = [
  { name: 'placement', type: 'text' },
  { name: 'experiment_id', type: 'text' },
  { name: 'variant', type: 'text' },
  { name: 'ts', type: 'time' },
  ...['served', 'served_items', 'shown_lists', 'shown'].map(counted),
  ...['clicked', 'converted', 'target_events', 'value'].map(counted),
  ...['assisted_clicked', 'assisted_converted', 'assisted_target_events', 'assisted_value'].map(counted),
];

const EXPORT_COLUMNS: Readonly<Record<Exported, readonly ParquetColumn[]>> = {
  users: [USER, ATTRIBUTES],
  items: [ITEM, ATTRIBUTES],
  events: [
    { name: 'event_id', type: 'text' },
    USER,
    ITEM,
    { name: 'ts', type: 'time' },
    { name: 'event_type', type: 'text' },
    { name: 'event_value', type: 'number' },
    ATTRIBUTES,
  ],
  item_vectors: [ITEM, VECTOR],
  user_vectors: [USER, VECTOR],
  report_days: REPORT,
  report_hours: REPORT,
};

/** Returns null if only the lines are wanted. `groupRows` is as in ParquetFile. */
export function exportTable(what: Exported, format: ExportFormat, groupRows?: number): LineTable | null {
  if (format === 'jsonl') return null;
  return { format, make: (lines, target) => writeParquet(EXPORT_COLUMNS[what], lines, target, groupRows) };
}

async function writeParquet(
  columns: readonly ParquetColumn[],
  linesFile: string,
  target: string,
  groupRows?: number,
): Promise<void> {
  const file = await ParquetFile.create(target, columns, groupRows);
  try {
    for await (const line of linesOf(createReadStream(linesFile))) {
      const record = JSON.parse(line);
      await file.add(columns.map(({ name }) => record[name]));
    }
    await file.finish();
  } finally {
    await file.close();
  }
}

/** Drops the lines of these users: each line is about one user. */
export const writeLinesWithout = lineWriter(() => null);
