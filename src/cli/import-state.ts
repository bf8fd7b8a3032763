// The progress of an import, on disk next to its file, so that an interrupted import resumes where it stopped.
// Invariants: a row counts as done only after the service has responded for it; the state file is replaced atomically (written
// to a temporary file, then renamed); skipped rows are on disk before the state that counts them.
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { firstFailures } from '../import/first-failures.ts';
import type { FailedRow, ImportedBatch } from '../import/run-import.ts';

export interface ImportCounts {
  rows: number;
  succeeded: number;
  failed: number;
  /** Why the first of them was skipped. */
  first_failure?: string;
  warnings: Record<string, number>;
}

interface StoredState {
  /** Identifies the file, the plan and the service; if it differs, the import starts over. */
  fingerprint: string;
  dataset_id: string;
  /** Every row before this one is done; the first row is 0. */
  done_before: number;
  /** Done ranges [from, to) above it, because batches can finish out of order. */
  done_ranges: [number, number][];
  counts: ImportCounts;
  /** The failure that `counts.first_failure` is about. */
  first_failed?: NamedFailure[];
  failed_bytes: number;
  /** Set when the last row is done. */
  finished?: boolean;
}

type NamedFailure = Pick<FailedRow, 'row' | 'message'>;

const SAVE_EVERY_MS = 1000;

export class ImportState {
  readonly datasetId: string;
  readonly resumed: boolean;
  readonly counts: ImportCounts;
  readonly #path: string;
  readonly #failedPath: string;
  readonly #fingerprint: string;
  #doneBefore: number;
  #ranges: [number, number][];
  #firstFailed: NamedFailure[];
  #failedFd: number | null = null;
  #failedBytes: number;
  #finished: boolean;
  #savedMs = Date.now();

  private constructor(path: string, failedPath: string, stored: StoredState, resumed: boolean) {
    this.#path = path;
    this.#failedPath = failedPath;
    this.#fingerprint = stored.fingerprint;
    this.datasetId = stored.dataset_id;
    this.counts = { ...stored.counts, warnings: stored.counts.warnings ?? {} };
    this.#doneBefore = stored.done_before;
    this.#ranges = stored.done_ranges;
    this.#firstFailed = stored.first_failed ?? [];
    this.#failedBytes = stored.failed_bytes;
    this.#finished = stored.finished === true;
    this.resumed = resumed;
  }

  /** The dataset of an interrupted import of the same file, or null. */
  static interrupted(path: string, fingerprint: string): string | null {
    const stored = readStored(path);
    return stored?.fingerprint === fingerprint ? stored.dataset_id : null;
  }

  static open(path: string, failedPath: string, fingerprint: string, datasetId: string): ImportState {
    const stored = readStored(path);
    if (stored && stored.fingerprint === fingerprint && stored.dataset_id === datasetId) {
      const state = new ImportState(path, failedPath, stored, true);
      if (stored.failed_bytes > 0) state.#openFailed();
      return state;
    }
    rmSync(failedPath, { force: true });
    const fresh: StoredState = {
      fingerprint,
      dataset_id: datasetId,
      done_before: 0,
      done_ranges: [],
      counts: { rows: 0, succeeded: 0, failed: 0, warnings: {} },
      failed_bytes: 0,
    };
    return new ImportState(path, failedPath, fresh, false);
  }

  get finished(): boolean {
    return this.#finished;
  }

  finish(): void {
    this.#finished = true;
  }

  /** True if an earlier run finished all of [from, to). */
  isDone(from: number, to: number): boolean {
    return to <= this.#doneBefore || this.#ranges.some(([start, end]) => start <= from && to <= end);
  }

  markDone({ from, to, succeeded, failed, warnings }: ImportedBatch): void {
    for (const row of failed) this.#writeFailed(row);
    this.counts.rows += to - from;
    this.counts.succeeded += succeeded;
    this.counts.failed += failed.length;
    this.#firstFailed = firstFailures(
      this.#firstFailed,
      failed.map(({ row, message }) => ({ row, message })),
      1,
    );
    const [first] = this.#firstFailed;
    if (first) this.counts.first_failure = `row ${first.row}: ${first.message}`;
    for (const [code, count] of Object.entries(warnings)) {
      this.counts.warnings[code] = (this.counts.warnings[code] ?? 0) + count;
    }
    this.#ranges.push([from, to]);
    this.#ranges.sort(([a], [b]) => a - b);
    while (this.#ranges.length > 0 && this.#ranges[0][0] <= this.#doneBefore) {
      this.#doneBefore = Math.max(this.#doneBefore, (this.#ranges.shift() as [number, number])[1]);
    }
    if (Date.now() - this.#savedMs >= SAVE_EVERY_MS) this.save();
  }

  save(): void {
    this.#savedMs = Date.now();
    const stored: StoredState = {
      fingerprint: this.#fingerprint,
      dataset_id: this.datasetId,
      done_before: this.#doneBefore,
      done_ranges: this.#ranges,
      counts: this.counts,
      first_failed: this.#firstFailed,
      failed_bytes: this.#failedBytes,
      finished: this.#finished,
    };
    writeFileSync(`${this.#path}.new`, JSON.stringify(stored));
    renameSync(`${this.#path}.new`, this.#path);
  }

  close(): void {
    if (this.#failedFd !== null) closeSync(this.#failedFd);
    this.#failedFd = null;
  }

  #openFailed(): number {
    if (this.#failedFd === null) {
      this.#failedFd = openSync(this.#failedPath, 'a');
      // Lines after the last saved state belong to rows that will be sent again. The file may also have been deleted.
      this.#failedBytes = Math.min(this.#failedBytes, fstatSync(this.#failedFd).size);
      ftruncateSync(this.#failedFd, this.#failedBytes);
    }
    return this.#failedFd;
  }

  #writeFailed(row: object): void {
    this.#failedBytes += writeSync(this.#openFailed(), `${JSON.stringify(row)}\n`);
  }
}

export function fingerprintOf(facts: unknown): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

function readStored(path: string): StoredState | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredState;
  } catch {
    return null;
  }
}
