// What people type, in the type the data has.
import type { AttributeScalar } from '../../../src/client/index.ts';
import type { AttributeStatistics } from '../api/statistics.ts';

/** A year is the number 1995, not the text "1995". undefined: not a value the attribute can have. */
export function typed(
  text: string,
  { top_values }: Pick<AttributeStatistics, 'top_values'>,
): AttributeScalar | undefined {
  if (text === '') return undefined;
  const known = top_values.find(({ value }) => String(value) === text);
  if (known) return known.value;
  const kind = typeof top_values[0]?.value;
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'boolean') return BOOLEANS.get(text.trim().toLowerCase());
  return text;
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);
