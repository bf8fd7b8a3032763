// One table into one dataset: rows → records → batches → parallel upserts → state. Rows that cannot become a record and
// records the service refuses end in the failed-rows file with the reason.

import type { EventRecord, ItemRecord, UpsertAnswer, UserRecord } from '../client/index.ts';
import { forEachParallel, type Kindred, KindredError, MAX_BATCH_RECORDS } from '../client/index.ts';
import type { ImportPlan, RecordKind } from '../import/import-plan.ts';
import { type ImportRecord, RowError, recordMaker, typedValue } from '../import/record-maker.ts';
import { type TableRow, UnreadableRow } from '../import/table.ts';
import type { ImportState } from './import-state.ts';

export interface ImportRunOptions {
  parallel: number;
  signal: AbortSignal;
  onProgress(): void;
  /** Applied to each record after the plan, e.g. MovieLens' titles. */
  refine?: (record: ImportRecord) => ImportRecord;
}

interface RowBatch {
  /** Row numbers from 0: [from, to). */
  from: number;
  to: number;
  rows: TableRow[];
}

export async function runImport(
  kindred: Kindred,
  plan: ImportPlan,
  pieces: AsyncIterable<TableRow[]>,
  state: ImportState,
  options: ImportRunOptions,
): Promise<void> {
  const make = recordMaker(plan);
  const send = senderFor(kindred, plan.kind, state.datasetId, options.signal);
  const importBatch = async (batch: RowBatch): Promise<void> => {
    const records: ImportRecord[] = [];
    const rowOf: number[] = [];
    const failed: object[] = [];
    batch.rows.forEach((row, index) => {
      try {
        const record = make(row);
        records.push(options.refine ? options.refine(record) : record);
        rowOf.push(index);
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        failed.push(failedRow(plan, batch.from + index, row, 'UNREADABLE_ROW', error.message));
      }
    });
    let succeeded = 0;
    for (const { answer, offset } of records.length > 0 ? await send(records) : []) {
      succeeded += answer.succeed_ids.length;
      for (const { index, code, message } of answer.failures) {
        const at = rowOf[offset + index];
        failed.push(failedRow(plan, batch.from + at, batch.rows[at], code, message));
      }
    }
    state.markDone(batch.from, batch.to, succeeded, failed);
    options.onProgress();
  };
  try {
    await forEachParallel(rowBatches(pieces, state), options.parallel, importBatch, options.signal);
  } catch (error) {
    state.save();
    state.close();
    throw error;
  }
}

async function* rowBatches(pieces: AsyncIterable<TableRow[]>, state: ImportState): AsyncGenerator<RowBatch> {
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
      if (!state.isDone(batch.from, batch.to)) yield batch;
    }
  }
  const last = { from, to: from + held.length, rows: held };
  if (held.length > 0 && !state.isDone(last.from, last.to)) yield last;
}

type Sent = { answer: UpsertAnswer; offset: number }[];

function senderFor(kindred: Kindred, kind: RecordKind, datasetId: string, signal: AbortSignal) {
  const upsert = (records: ImportRecord[]): Promise<UpsertAnswer> => {
    if (kind === 'users') {
      return kindred.upsertDatasetUsers({ user_dataset_id: datasetId, users: records as UserRecord[] }, { signal });
    }
    if (kind === 'items') {
      return kindred.upsertDatasetItems({ item_dataset_id: datasetId, items: records as ItemRecord[] }, { signal });
    }
    return kindred.upsertDatasetEvents({ event_dataset_id: datasetId, events: records as EventRecord[] }, { signal });
  };
  const send = async (records: ImportRecord[], offset = 0): Promise<Sent> => {
    try {
      return [{ answer: await upsert(records), offset }];
    } catch (error) {
      // Very large records: half of them at a time.
      if (!(error instanceof KindredError) || error.status !== 413 || records.length === 1) throw error;
      const half = records.length >> 1;
      const first = await send(records.slice(0, half), offset);
      return [...first, ...(await send(records.slice(half), offset + half))];
    }
  };
  return send;
}

function failedRow(plan: ImportPlan, row: number, cells: TableRow, code: string, message: string): object {
  const content =
    cells instanceof UnreadableRow
      ? cells.text
      : Object.fromEntries(
          plan.columns.flatMap((name, index) => (cells[index] === undefined ? [] : [[name, typedValue(cells[index])]])),
        );
  return { row: row + 1, code, message, content };
}
