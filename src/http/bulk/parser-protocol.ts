// Messages between the API thread and a parser thread. A thread works on one body at a time: it receives the body, returns its
// frame, receives the dataset's schema and the account's key, and returns the checked batch. An error at any step ends the body.

import type { PastStep } from '../../base/trace.ts';
import type { AttributeSchema } from '../../domain/dataset.ts';
import { AppError, type AppErrorOptions, type ErrorCode } from '../../errors.ts';
import type { BULK_BODIES, CheckedBatch, CheckInputs } from './bulk-bodies.ts';

export type ParserRequest =
  | {
      step: 'open';
      name: keyof typeof BULK_BODIES;
      /** The whole body as received, still compressed if it was. */
      blocks: readonly Uint8Array[];
      contentEncoding: string | undefined;
      /** whether the reply includes the timed steps of the work, for tracing */
      traced: boolean;
    }
  | { step: 'check'; schema: AttributeSchema | null; given: CheckInputs; traced: boolean }
  | { step: 'drop' };

export type ParserReply =
  | { step: 'open'; frame: Record<string, unknown>; steps?: readonly PastStep[] }
  | { step: 'check'; checked: CheckedBatch; steps?: readonly PastStep[] }
  | { step: 'refused'; error: PlainError };

/** An AppError crosses the thread boundary as plain data. */
interface PlainError {
  code: ErrorCode;
  message: string;
  options: Pick<AppErrorOptions, 'errors' | 'extra'>;
}

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, message: error.message, options: { errors: error.errors, extra: error.extra } };
}

export const toAppError = ({ code, message, options }: PlainError): AppError => new AppError(code, message, options);
