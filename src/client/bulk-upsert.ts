// Any number of records → batches the service accepts → parallel upserts. Nothing is held but the batches in flight.
// Records with the same id: the last one wins within a batch; across batches the order is not kept unless `parallel` is 1.
import type { RecordFailure, RecordWarning, UpsertAnswer } from './api-types.ts';
import { type AnyIterable, forEachParallel, iterate } from './parallel.ts';

export const MAX_BATCH_RECORDS = 1000;
/** Well under the service's 64 MiB, so that a body is never refused for its size alone. */
const MAX_BATCH_CHARACTERS = 8_000_000;

export interface BulkProgress {
  /** Records sent for which the service has responded. */
  submitted: number;
  succeeded: number;
  failed: number;
  /** Warnings about records that were stored but look like mistakes. */
  warned: number;
  batches: number;
}

interface InStream<Record> {
  /** Position in the whole stream, from 0. */
  position: number;
  record: Record;
}

export interface BulkFailure<Record> extends Omit<RecordFailure, 'index'>, InStream<Record> {}
export interface BulkWarning<Record> extends Omit<RecordWarning, 'index'>, InStream<Record> {}

export interface BulkOptions<Record> {
  /** Batches in flight at once; default 4. */
  parallel?: number;
  /** Records per batch, 1 to 1000. */
  batchSize?: number;
  signal?: AbortSignal;
  onProgress?: (progress: BulkProgress) => void;
  /** Called for each record the service refused. */
  onFailure?: (failure: BulkFailure<Record>) => void;
  /** Called for each warning about a record that was stored. */
  onWarning?: (warning: BulkWarning<Record>) => void;
  /** Most failures that the result contains; default 100. All of them are counted and passed to `onFailure`. */
  keepFailures?: number;
}

export interface BulkResult<Record> extends BulkProgress {
  failures: BulkFailure<Record>[];
  elapsedMs: number;
}

export interface Batch<Record> {
  position: number;
  records: Record[];
  /** The records as the inside of a JSON array. */
  json: string;
}

export async function bulkUpsert<Record>(
  records: AnyIterable<Record>,
  send: (recordsJson: string, signal?: AbortSignal) => Promise<UpsertAnswer>,
  options: BulkOptions<Record> = {},
): Promise<BulkResult<Record>> {
  const startedMs = Date.now();
  const progress: BulkProgress = { submitted: 0, succeeded: 0, failed: 0, warned: 0, batches: 0 };
  const failures: BulkFailure<Record>[] = [];
  const keepFailures = options.keepFailures ?? 100;
  const batchSize = Math.min(MAX_BATCH_RECORDS, Math.max(1, options.batchSize ?? MAX_BATCH_RECORDS));
  await forEachParallel(
    batchesOf(records, batchSize),
    options.parallel ?? 4,
    async (batch) => {
      const response = await send(batch.json, options.signal);
      for (const { index, ...why } of response.failures ?? []) {
        const failure = { ...why, position: batch.position + index, record: batch.records[index] };
        if (failures.length < keepFailures) failures.push(failure);
        options.onFailure?.(failure);
      }
      for (const { index, ...why } of response.warnings ?? []) {
        progress.warned += 1;
        options.onWarning?.({ ...why, position: batch.position + index, record: batch.records[index] });
      }
      progress.submitted += batch.records.length;
      progress.succeeded += response.succeed_ids.length;
      progress.failed += response.failures?.length ?? response.failed_ids.length;
      progress.batches += 1;
      options.onProgress?.({ ...progress });
    },
    { signal: options.signal },
  );
  return { ...progress, failures, elapsedMs: Date.now() - startedMs };
}

export async function* batchesOf<Record>(
  records: AnyIterable<Record>,
  batchSize: number,
): AsyncGenerator<Batch<Record>> {
  let position = 0;
  let held: Record[] = [];
  let texts: string[] = [];
  let characters = 0;
  const take = (): Batch<Record> => {
    const batch = { position, records: held, json: texts.join(',') };
    position += held.length;
    held = [];
    texts = [];
    characters = 0;
    return batch;
  };
  for await (const record of iterate(records)) {
    const text = JSON.stringify(record) ?? 'null';
    if (held.length > 0 && characters + text.length > MAX_BATCH_CHARACTERS) yield take();
    held.push(record);
    texts.push(text);
    characters += text.length;
    if (held.length >= batchSize) yield take();
  }
  if (held.length > 0) yield take();
}
