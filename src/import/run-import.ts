// One table into one dataset, for the command line, the console and import jobs: rows → records → batches → parallel upserts. Rows
// that cannot become a record and records that are refused are reported with the row and the reason.
import { forEachParallel, MAX_BATCH_RECORDS } from '../client/index.ts';
import type { ImportPlan } from './import-plan.ts';
import { type ImportRecord, RowError, recordMaker, typedValue } from './record-maker.ts';
import { type Table, type TableRow, UnreadableRow } from './table.ts';
import type { UpsertRecords } from './upsert-records.ts';

export interface FailedRow {
  /** Data row of the file, from 1; a header line is not counted. */
  row: number;
  code: string;
  message: string;
  /** The row's cells by column, or its text when that could not be read. */
  content: Record<string, unknown> | string;
}

/** What became of the rows [from, to), counted from 0. */
export interface ImportedBatch {
  from: number;
  to: number;
  succeeded: number;
  failed: FailedRow[];
  /** Rows that were stored but look like mistakes, counted by the kind of warning. */
  warnings: Record<string, number>;
}

export interface ImportRun {
  plan: ImportPlan;
  upsert: UpsertRecords;
  /** May have been opened again since the plan was made. */
  table: Table;
  /** Batches in flight. */
  parallel: number;
  signal: AbortSignal;
  /** Whether rows were imported before, by an import that was interrupted. */
  isDone?: (from: number, to: number) => boolean;
  /** Called when a batch is stored; batches may end out of order. */
  onBatch: (batch: ImportedBatch) => void;
  /** Applied to each record after the plan, e.g. MovieLens' titles. */
  refine?: (record: ImportRecord) => ImportRecord;
}

interface RowBatch {
  /** Row numbers from 0: [from, to). */
  from: number;
  to: number;
  rows: TableRow[];
}

export async function runImport(run: ImportRun): Promise<void> {
  const { signal, table } = run;
  // This table names the columns that come late.
  const plan = { ...run.plan, columns: table.columns };
  const make = recordMaker(plan);
  const importBatch = async ({ from, to, rows }: RowBatch): Promise<void> => {
    const records: ImportRecord[] = [];
    const rowOf: number[] = [];
    const failed: FailedRow[] = [];
    rows.forEach((row, index) => {
      try {
        const record = make(row);
        records.push(run.refine ? run.refine(record) : record);
        rowOf.push(index);
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        failed.push(failedRow(plan, from + index, row, { code: 'UNREADABLE_ROW', message: error.message }));
      }
    });
    let succeeded = 0;
    const warnings: Record<string, number> = {};
    if (records.length > 0) {
      const response = await run.upsert(records);
      succeeded = response.succeed_ids.length;
      for (const { code } of response.warnings) warnings[code] = (warnings[code] ?? 0) + 1;
      for (const { index, code, message } of response.failures) {
        failed.push(failedRow(plan, from + rowOf[index], rows[rowOf[index]], { code, message }));
      }
    }
    run.onBatch({ from, to, succeeded, failed, warnings });
  };
  await forEachParallel(rowBatches(run), run.parallel, importBatch, signal);
}

async function* rowBatches({ table: { pieces }, isDone = () => false }: ImportRun): AsyncGenerator<RowBatch> {
  let from = 0;
  let held: TableRow[] = [];
  for await (const piece of pieces) {
    let at = 0;
    while (at < piece.length) {
      const taken = piece.slice(at, at + MAX_BATCH_RECORDS - held.length);
      held = held.length === 0 ? taken : held.concat(taken);
      at += taken.length;
      if (held.length < MAX_BATCH_RECORDS) continue;
      const batch = { from, to: from + held.length, rows: held };
      from = batch.to;
      held = [];
      if (!isDone(batch.from, batch.to)) yield batch;
    }
  }
  const last = { from, to: from + held.length, rows: held };
  if (held.length > 0 && !isDone(last.from, last.to)) yield last;
}

function failedRow(
  plan: ImportPlan,
  row: number,
  cells: TableRow,
  why: Pick<FailedRow, 'code' | 'message'>,
): FailedRow {
  const content =
    cells instanceof UnreadableRow
      ? cells.text
      : Object.fromEntries(
          plan.columns.flatMap((name, index) => (cells[index] === undefined ? [] : [[name, typedValue(cells[index])]])),
        );
  return { row: row + 1, ...why, content };
}
