// How much may wait to be written. Beyond it a call is refused with OVERLOADED rather than kept, so that a flood costs clients
// a retry and not the service its memory.
import { columnBytes, type EventColumns, type RecordColumns } from '../domain/record-columns.ts';
import { AppError } from '../errors.ts';

export const MAX_QUEUED_RECORDS = 64_000;
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** Records after which a group of requests is committed: larger groups gain little and make everyone wait. */
export const MAX_GROUP_RECORDS = 10_000;

export interface WriteSize {
  records: number;
  bytes: number;
}

/** What a record that waits takes besides its columns. */
const RECORD_OVERHEAD_BYTES = 100;

export function sizeOf(columns: RecordColumns | EventColumns): WriteSize {
  return { records: columns.length, bytes: columnBytes(columns) + columns.length * RECORD_OVERHEAD_BYTES };
}

export class WriteBudget {
  #records = 0;
  #bytes = 0;
  #batches = 0;

  get load(): { queuedRecords: number; queuedBatches: number } {
    return { queuedRecords: this.#records, queuedBatches: this.#batches };
  }

  /** Throws OVERLOADED. One request always fits, however large. */
  take({ records, bytes }: WriteSize): void {
    const full = this.#records + records > MAX_QUEUED_RECORDS || this.#bytes + bytes > MAX_QUEUED_BYTES;
    if (full && this.#batches > 0) {
      throw new AppError(
        'OVERLOADED',
        'Too many records are waiting to be written. Send this call again in a moment.',
        {
          retryAfterSec: 1,
        },
      );
    }
    this.#records += records;
    this.#bytes += bytes;
    this.#batches++;
  }

  giveBack({ records, bytes }: WriteSize): void {
    this.#records -= records;
    this.#bytes -= bytes;
    this.#batches--;
  }
}
