// The error of a field that is not known at its place, with the nearest one that is.
import { nearestName } from '../base/nearest-name.ts';
import { AppError, type FieldError } from '../errors.ts';

export interface UnknownField {
  readonly name: string;
  /** pointer to the object that has the field; '' for the request itself */
  readonly parent: string;
  /** names that this object may have */
  readonly known: readonly string[];
}

export const UNKNOWN_FIELD_MESSAGE = 'is not a known field';

export const escapePointer = (name: string): string => name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1');

export function unknownFieldError({ name, parent, known }: UnknownField, errors: FieldError[]): AppError {
  const nearest = nearestName(name, known);
  const hint = nearest ? `Did you mean "${nearest}"?` : `Known fields: ${known.join(', ') || 'none'}.`;
  const place = parent === '' ? '' : ` in ${parent.slice(1)}`;
  return new AppError('UNKNOWN_FIELD', `Unknown field "${name.slice(0, 64)}"${place}. ${hint}`, { errors });
}
