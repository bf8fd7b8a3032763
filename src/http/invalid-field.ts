import { AppError } from '../errors.ts';

/** `pointer`: the place of the field in the request, `message`: what is wrong with it. */
export function invalidField(pointer: string, message: string): AppError {
  return new AppError('INVALID_REQUEST', `${pointer.slice(1)} ${message}.`, { errors: [{ pointer, message }] });
}
