// Maps failures of SQLite: which errors end the whole transaction, and which error the client gets.
import { AppError } from '../../errors.ts';

const BUSY = 5;
const LOCKED = 6;
const NOMEM = 7;
const READONLY = 8;
const IOERR = 10;
/** SQLite also reports this when a disk fails to read. */
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const NOTADB = 26;

const UNAVAILABLE: Record<number, string> = {
  [BUSY]: 'Another process has locked the database for too long. Try again.',
  [LOCKED]: 'The database is locked. Try again.',
  [NOMEM]: 'There is not enough memory to write. Try again.',
  [READONLY]: 'The database file cannot be written.',
  [IOERR]: 'The disk failed to read or write the database, or is full. Nothing of this call was stored.',
  [CORRUPT]:
    'The disk failed to read the database file, or the file is damaged. If this error stays, check the disk and restore a backup.',
  [FULL]: 'The disk is full. Nothing of this call was stored. The service continues when there is space.',
  [CANTOPEN]: 'The database file cannot be opened.',
  [NOTADB]: 'The database file is not a SQLite database.',
};

function primaryCode(error: unknown): number | undefined {
  const errcode = (error as { errcode?: unknown } | null)?.errcode;
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

export function isReadOnly(error: unknown): boolean {
  return primaryCode(error) === READONLY;
}

export function isConstraintError(error: unknown): boolean {
  return primaryCode(error) === CONSTRAINT;
}

/** Adds the file's name to the error if it cannot be opened. */
export function openingFile<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const unavailable = unavailableError(error);
    throw unavailable ? new AppError(unavailable.code, `${file}: ${unavailable.message}`, { cause: error }) : error;
  }
}

/** Returns the AppError for a failure of the disk or a lock, else undefined. */
export function unavailableError(error: unknown): AppError | undefined {
  const code = primaryCode(error);
  const detail = code === undefined ? undefined : UNAVAILABLE[code];
  return detail === undefined
    ? undefined
    : new AppError('STORE_UNAVAILABLE', detail, { cause: error, retryAfterSec: 1 });
}
