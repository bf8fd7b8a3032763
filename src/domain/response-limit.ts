// The size limit of a response. A response built from parts stops at the limit, before it is complete.
import { AppError } from '../errors.ts';

const MAX_MIB = 32;
export const MAX_RESPONSE_BYTES = MAX_MIB * 1024 * 1024;

export function responseTooLarge(): AppError {
  return new AppError(
    'ANSWER_TOO_LARGE',
    `The response would exceed ${MAX_MIB} MiB. Request fewer items or attributes, or a smaller page.`,
  );
}
