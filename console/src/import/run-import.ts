// Sends a file's rows to a dataset: what cannot become a record, or is refused by the service, is told with its line.
import type { EventRecord, ItemRecord, Kindred, UserRecord } from '../../../src/client/index.ts';
import type { ImportPlan } from '../../../src/import/import-plan.ts';
import { recordMaker } from '../../../src/import/record-maker.ts';
import { type Table, UnreadableRow } from '../../../src/import/table.ts';

export interface FailedRow {
  /** Data row in the file, from 1 (a header line is not counted). */
  row: number;
  reason: string;
  content: string;
}

export interface ImportProgress {
  read: number;
  stored: number;
  failed: number;
}

export interface ImportOutcome extends ImportProgress {
  /** The first of them; `failed` counts all. */
  failedRows: FailedRow[];
}

const KEPT_FAILURES = 10_000;
const CONTENT_CHARACTERS = 400;
const REPORT_EVERY_ROWS = 500;

export async function runImport(
  client: Kindred,
  datasetId: string,
  table: Table,
  plan: ImportPlan,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<ImportOutcome> {
  const make = recordMaker(plan);
  const rowNumbers = new WeakMap<object, number>();
  const failedRows: FailedRow[] = [];
  const progress: ImportProgress = { read: 0, stored: 0, failed: 0 };
  const fail = (row: number, reason: string, content: string) => {
    progress.failed++;
    if (failedRows.length < KEPT_FAILURES)
      failedRows.push({ row, reason, content: content.slice(0, CONTENT_CHARACTERS) });
  };

  async function* records() {
    for await (const piece of table.pieces) {
      for (const row of piece) {
        progress.read++;
        if (progress.read % REPORT_EVERY_ROWS === 0) onProgress({ ...progress });
        try {
          const record = make(row);
          rowNumbers.set(record, progress.read);
          yield record;
        } catch (error) {
          fail(progress.read, (error as Error).message, row instanceof UnreadableRow ? row.text : JSON.stringify(row));
        }
      }
    }
  }

  const options = {
    signal,
    keepFailures: 0,
    onProgress: ({ succeeded }: { succeeded: number }) => {
      progress.stored = succeeded;
      onProgress({ ...progress });
    },
    onFailure: ({ message, record }: { message: string; record: object }) =>
      fail(rowNumbers.get(record) ?? 0, message, JSON.stringify(record)),
  };
  if (plan.kind === 'users') {
    await client.bulkUpsertUsers(datasetId, records() as AsyncIterable<UserRecord>, options);
  } else if (plan.kind === 'items') {
    await client.bulkUpsertItems(datasetId, records() as AsyncIterable<ItemRecord>, options);
  } else {
    await client.bulkUpsertEvents(datasetId, records() as AsyncIterable<EventRecord>, options);
  }
  failedRows.sort((a, b) => a.row - b.row);
  return { ...progress, failedRows };
}

/** The failed rows as a CSV file for the spreadsheet of whoever made the data. */
export function failedRowsCsv(rows: FailedRow[]): string {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map((row) => [String(row.row), cell(row.reason), cell(row.content)].join(','));
  return `row,reason,content\r\n${lines.join('\r\n')}\r\n`;
}
