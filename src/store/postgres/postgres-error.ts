// Maps failures of PostgreSQL to the errors that callers get.
import { AppError } from '../../errors.ts';
import { ConstraintViolation } from '../database.ts';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/**
 * SQLSTATE classes for connections, resources, actions of the operator, and system errors. They include a server that became a
 * read-only replica.
 */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58'];
const READ_ONLY = '25006';
const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const DISK_FULL = '53100';
const TIMEOUT = '57014';
const IDLE_IN_TRANSACTION = '25P03';

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Whether the transaction can be retried unchanged, because the server aborted it in favor of another. */
export function isContention(error: unknown): boolean {
  return [DEADLOCK, SERIALIZATION].includes(codeOf(error));
}

/** Whether the connection or the server is lost, or the server accepts no writes. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  return (
    NETWORK.has(code) ||
    code === READ_ONLY ||
    code === IDLE_IN_TRANSACTION ||
    UNAVAILABLE_CLASSES.some((prefix) => code.length === 5 && code.startsWith(prefix)) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|timeout expired/.test(
      message,
    )
  );
}

/** Converts an error to the one that callers of the store get. */
export function storeError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (isLost(error) || isContention(error)) {
    return new AppError('STORE_UNAVAILABLE', detailOf(code), { cause: error, retryAfterSec: 1 });
  }
  return code.startsWith('23') ? new ConstraintViolation(message) : error;
}

function detailOf(code: string): string {
  if (code === DISK_FULL) return "The database's disk is full. Nothing of this call was stored.";
  if (code === TIMEOUT) return 'The database took too long. Try again.';
  if (code === IDLE_IN_TRANSACTION)
    return 'The call was interrupted for too long. Nothing of it was stored. Try again.';
  if (code === READ_ONLY) return 'The database is read-only at the moment. Try again.';
  return code === '' ? 'Cannot reach the database. Try again.' : `Cannot reach the database (${code}). Try again.`;
}
