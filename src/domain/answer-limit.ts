// The size limit of a response. A response built from parts stops at the limit, before it is complete.
import { AppError } from '../errors.ts';

export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export function answerTooLarge(): AppError {
  return new AppError(
    'ANSWER_TOO_LARGE',
    `The response would exceed ${MAX_ANSWER_BYTES} bytes. Request fewer items or attributes, or a smaller page.`,
  );
}
