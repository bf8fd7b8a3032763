// How large an answer may become. What is made from parts stops at the limit, before it is whole.
import { AppError } from '../errors.ts';

export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export function answerTooLarge(): AppError {
  return new AppError(
    'ANSWER_TOO_LARGE',
    `The answer would have more than ${MAX_ANSWER_BYTES} bytes. Ask for fewer items or attributes, or for a smaller page.`,
  );
}
