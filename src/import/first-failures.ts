// Which skipped rows an import names if it cannot name all.
import type { FailedRow } from './run-import.ts';

/** The failures of the smallest rows: batches may end out of order. */
export function firstFailures<Failure extends Pick<FailedRow, 'row'>>(
  known: Failure[],
  more: readonly Failure[],
  most: number,
): Failure[] {
  return more.length === 0 ? known : [...known, ...more].sort((a, b) => a.row - b.row).slice(0, most);
}
