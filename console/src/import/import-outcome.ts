// The running totals of an import, summed over the batches of src/import/run-import.ts.
import { csvLine } from '../../../src/base/csv-line.ts';
import { firstFailures } from '../../../src/import/first-failures.ts';
import type { FailedRow, ImportedBatch } from '../../../src/import/run-import.ts';

export interface ImportOutcome {
  read: number;
  failed: number;
  /** The first of them; `failed` counts all. */
  failedRows: FailedRow[];
  /** Rows stored that look like mistakes, by the code of the warning. */
  warnings: Record<string, number>;
}

const KEPT_FAILURES = 10_000;
const CONTENT_CHARACTERS = 400;

export const NOTHING_IMPORTED: ImportOutcome = { read: 0, failed: 0, failedRows: [], warnings: {} };

export function addBatch(outcome: ImportOutcome, batch: ImportedBatch): ImportOutcome {
  const warnings = { ...outcome.warnings };
  for (const [code, count] of Object.entries(batch.warnings)) warnings[code] = (warnings[code] ?? 0) + count;
  return {
    read: outcome.read + batch.to - batch.from,
    failed: outcome.failed + batch.failed.length,
    failedRows: firstFailures(outcome.failedRows, batch.failed, KEPT_FAILURES),
    warnings,
  };
}

export function contentText({ content }: FailedRow): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text.slice(0, CONTENT_CHARACTERS);
}

/** The skipped rows as a CSV file, so that the visitor can fix them in a spreadsheet. */
export function failedRowsCsv(rows: readonly FailedRow[]): string {
  const cells = rows.map((row) => [row.row, row.message, contentText(row)]);
  return [['row', 'reason', 'content'], ...cells].map(csvLine).join('');
}

/** How far the import of one file is. */
export interface FileState {
  progress?: ImportOutcome;
  fraction?: number;
  outcome?: ImportOutcome;
  error?: unknown;
}
