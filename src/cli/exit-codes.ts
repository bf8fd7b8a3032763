// Exit codes, listed in the help of every command.
import { CommanderError } from 'commander';
import { KindredError, KindredJobError } from '../client/index.ts';

export const EXIT = {
  OK: 0,
  UNEXPECTED: 1,
  USAGE: 2,
  REFUSED: 3,
  UNREACHABLE: 4,
  JOB_FAILED: 5,
  RECORDS_REFUSED: 6,
  INTERRUPTED: 130,
} as const;

export const EXIT_CODES_HELP = `
Exit codes: 0 done, 1 unexpected error, 2 wrong usage, 3 refused by the service, 4 service not reachable or busy,
5 job failed or canceled, 6 done but some records were skipped, 130 interrupted.`;

/** Wrong usage, shown without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Any other expected error. It is shown without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Errors of writing to an open file, which carry no path. */
const DISK_PROBLEMS = ['ENOSPC', 'EDQUOT', 'EIO'];

/** A file that cannot be read or written (missing, no permission, disk full): the user can fix it, so no stack is shown. */
export function isFileProblem(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error && 'syscall' in error)) return false;
  return 'path' in error || DISK_PROBLEMS.includes((error as NodeJS.ErrnoException).code ?? '');
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || isFileProblem(error)) return EXIT.USAGE;
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.OK : EXIT.USAGE;
  if (error instanceof KindredJobError) return EXIT.JOB_FAILED;
  if (error instanceof KindredError) {
    return error.status === 0 || error.status >= 500 || error.status === 429 ? EXIT.UNREACHABLE : EXIT.REFUSED;
  }
  return EXIT.UNEXPECTED;
}
