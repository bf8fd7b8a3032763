// One table into one dataset, for the command line, the console and import jobs: rows → records → batches → parallel upserts. Rows
// that cannot become a record and records that are refused are reported with the row and the reason. Batches that share an id are sent
// one after the other: the last valid row of an id is what is stored.
import {
  type EventRecord,
  forEachParallel,
  type ItemRecord,
  MAX_BATCH_RECORDS,
  type UserRecord,
} from '../client/index.ts';
import type { ImportPlan, RecordKind } from './import-plan.ts';
import { type ImportRecord, RowError, recordMaker, typedValue } from './record-maker.ts';
import { type Table, type TableRow, UnreadableRow } from './table.ts';
import { upsertLastValid } from './upsert-last-valid.ts';
import type { UpsertRecords } from './upsert-records.ts';

export interface FailedRow {
  /** Data row of the file, from 1; a header line is not counted. */
  row: number;
  code: string;
  message: string;
  /** The row's cells by column, or its text when that could not be read. */
  content: Record<string, unknown> | string;
}

/** The outcome of the rows [from, to), counted from 0. */
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
  /** Number of batches sent at the same time. */
  parallel: number;
  signal: AbortSignal;
  /** Whether rows were imported before, by an import that was interrupted. */
  isDone?: (from: number, to: number) => boolean;
  /** Called when a batch is stored; batches may end out of order. */
  onBatch: (batch: ImportedBatch) => void;
  /** Applied to each record after the plan, e.g. MovieLens' titles. */
  refine?: ((record: ImportRecord) => ImportRecord) | undefined;
}

interface RowBatch {
  /** Row numbers from 0: [from, to). */
  from: number;
  to: number;
  rows: TableRow[];
}

interface RecordBatch extends RowBatch {
  records: ImportRecord[];
  /** For each record, the index of its row in the batch. */
  rowOf: number[];
  failed: FailedRow[];
}

export async function runImport(run: ImportRun): Promise<void> {
  const idOf = ID_OF[run.plan.kind];
  const upsert = upsertLastValid(run.upsert, idOf);
  const importBatch = async ({ from, to, rows, records, rowOf, failed }: RecordBatch): Promise<void> => {
    let succeeded = 0;
    const warnings: Record<string, number> = {};
    if (records.length > 0) {
      const response = await upsert(records);
      succeeded = response.succeed_ids.length;
      for (const { code } of response.warnings) warnings[code] = (warnings[code] ?? 0) + 1;
      for (const { index, code, message } of response.failures) {
        failed.push(failedRow(run, from + rowOf[index], rows[rowOf[index]], { code, message }));
      }
    }
    run.onBatch({ from, to, succeeded, failed, warnings });
  };
  await forEachParallel(recordBatches(run), run.parallel, importBatch, {
    signal: run.signal,
    keysOf: ({ records }) => records.map(idOf),
  });
}

const ID_OF: Record<RecordKind, (record: ImportRecord) => string> = {
  users: (record) => (record as UserRecord).user_id,
  items: (record) => (record as ItemRecord).item_id,
  events: (record) => (record as EventRecord).event_id,
};

async function* recordBatches(run: ImportRun): AsyncGenerator<RecordBatch> {
  // The table's list of columns includes those that appear later in the file.
  const make = recordMaker({ ...run.plan, columns: run.table.columns });
  for await (const batch of rowBatches(run)) {
    const { from, rows } = batch;
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
        failed.push(failedRow(run, from + index, row, { code: 'UNREADABLE_ROW', message: error.message }));
      }
    });
    yield { ...batch, records, rowOf, failed };
  }
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
  { table: { columns } }: ImportRun,
  row: number,
  cells: TableRow,
  why: Pick<FailedRow, 'code' | 'message'>,
): FailedRow {
  const content =
    cells instanceof UnreadableRow
      ? cells.text
      : Object.fromEntries(
          columns.flatMap((name, index) => (cells[index] === undefined ? [] : [[name, typedValue(cells[index])]])),
        );
  return { row: row + 1, ...why, content };
}
