// `--map FIELD=COLUMN`, repeatable.
import { InvalidArgumentError } from 'commander';
import { FIELD_NAMES } from '../import/import-plan.ts';

export function collectField(value: string, previous: Record<string, string> = {}): Record<string, string> {
  const at = value.indexOf('=');
  const field = value.slice(0, Math.max(0, at));
  if (!FIELD_NAMES.some((name) => name === field) || at === value.length - 1) {
    throw new InvalidArgumentError(`Use FIELD=COLUMN, where FIELD is one of ${FIELD_NAMES.join(', ')}.`);
  }
  if (previous[field] !== undefined) {
    throw new InvalidArgumentError(`${field} is read from ${previous[field]} already. Name one column for each field.`);
  }
  return { ...previous, [field]: value.slice(at + 1) };
}
