import { AppError } from '../errors.ts';

/** `pointer` is the location of the field in the request, `message` says what is wrong with it. */
export function invalidField(pointer: string, message: string): AppError {
  return new AppError('INVALID_REQUEST', `${pointer.slice(1)} ${message}.`, { errors: [{ pointer, message }] });
}
