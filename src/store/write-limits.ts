// Limits how much may wait to be written, in total and per account. Above the limit a call is refused with OVERLOADED, so that a
// flood costs its clients a retry, but not the service its memory or other accounts their turn.
import { MAX_ENTITY_BYTES } from '../domain/record-batch.ts';
import { columnBytes, type EventColumns, type RecordColumns } from '../domain/record-columns.ts';
import { MAX_PATCHED_BYTES } from '../domain/record-patch.ts';
import { AppError } from '../errors.ts';

export const MAX_QUEUED_RECORDS = 64_000;
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** Records after which a group of requests is committed: larger groups gain little and make everyone wait. */
export const MAX_GROUP_RECORDS = 10_000;

export interface WriteSize {
  /** number of records waiting in memory */
  records: number;
  bytes: number;
  /** rows the write may touch, if these are more */
  rows?: number;
}

/** The measure by which a group of writes is filled. */
export const weightOf = ({ records, rows = records }: WriteSize): number => rows;

/** Estimated bytes of a waiting record besides its columns. */
const RECORD_OVERHEAD_BYTES = 100;

export function sizeOf(columns: RecordColumns | EventColumns): WriteSize {
  return { records: columns.length, bytes: columnBytes(columns) + columns.length * RECORD_OVERHEAD_BYTES };
}

const DELETION_OVERHEAD_BYTES = 50;

export function deletionSizeOf(ids: readonly string[]): WriteSize {
  return { records: ids.length, bytes: ids.reduce((sum, id) => sum + DELETION_OVERHEAD_BYTES + id.length, 0) };
}

/**
 * A patch rewrites whole records, however small it is. So a patched record counts as this many rows: a group of patches rewrites no
 * more than one call may.
 */
const PATCHED_ROWS = (MAX_GROUP_RECORDS * MAX_ENTITY_BYTES) / MAX_PATCHED_BYTES;

export function patchSizeOf(columns: RecordColumns): WriteSize {
  const size = sizeOf(columns);
  return { ...size, rows: Math.min(size.records * PATCHED_ROWS, MAX_GROUP_RECORDS) };
}

/** The share of the queue that one account may fill. */
export const ACCOUNT_SHARE = 1 / 2;
/** An account with nothing waiting is admitted even if the queue is full, until the queue is this many times as long. */
const LATECOMER_FACTOR = 2;

interface Load extends WriteSize {
  batches: number;
}

const NOTHING: Load = { records: 0, bytes: 0, batches: 0 };

export class WriteBudget {
  readonly #byAccount = new Map<string, Load>();
  #all = NOTHING;

  get load(): { queuedRecords: number; queuedBatches: number } {
    return { queuedRecords: this.#all.records, queuedBatches: this.#all.batches };
  }

  /** Throws OVERLOADED if there is no room. A single request always fits, however large. */
  take(accountId: string, size: WriteSize): void {
    const own = this.#byAccount.get(accountId) ?? NOTHING;
    const isLatecomer = own.batches === 0;
    const isShareUsed = !isLatecomer && isBeyond(own, size, ACCOUNT_SHARE);
    const isFull = this.#all.batches > 0 && isBeyond(this.#all, size, isLatecomer ? LATECOMER_FACTOR : 1);
    if (isShareUsed || isFull) {
      const detail = 'Too many records are waiting to be written. Send this call again in a moment.';
      throw new AppError('OVERLOADED', detail, { retryAfterSec: 1 });
    }
    this.#all = plus(this.#all, size, 1);
    this.#byAccount.set(accountId, plus(own, size, 1));
  }

  giveBack(accountId: string, size: WriteSize): void {
    this.#all = plus(this.#all, size, -1);
    const left = plus(this.#byAccount.get(accountId)!, size, -1);
    if (left.batches > 0) this.#byAccount.set(accountId, left);
    else this.#byAccount.delete(accountId);
  }
}

function isBeyond(load: Load, { records, bytes }: WriteSize, factor: number): boolean {
  return load.records + records > MAX_QUEUED_RECORDS * factor || load.bytes + bytes > MAX_QUEUED_BYTES * factor;
}

function plus(load: Load, { records, bytes }: WriteSize, sign: 1 | -1): Load {
  return { records: load.records + sign * records, bytes: load.bytes + sign * bytes, batches: load.batches + sign };
}
