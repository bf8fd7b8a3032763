// A querying job's conditions and findings in words, for its result files and message.

import { percent } from '../../base/percent.ts';
import type { Condition } from '../../domain/insight-request.ts';
import { enumerate } from '../result-head.ts';
import { pairInWords } from '../usage/usage-pairs.ts';

/** Most notes in a message. */
const MAX_NOTES = 3;

export function conditionInWords(condition: Condition): string {
  const { lower_bound: lower, upper_bound: upper } = condition;
  const what = `usage of ${pairInWords(condition)}`;
  if (lower !== null && upper !== null) return `${what} from ${percent(lower)} to ${percent(upper)}`;
  if (lower !== null) return `${what} at least ${percent(lower)}`;
  if (upper !== null) return `${what} at most ${percent(upper)}`;
  return `any ${what}`;
}

/** Says for `message` which queries ask about values that no item has. */
export function notesInWords(notes: readonly (string | null)[]): string {
  const noted = notes.flatMap((note, index) => (note === null ? [] : [{ note, number: index + 1 }]));
  if (noted.length === 0) return '';
  if (notes.length === 1) return ` ${noted[0].note}`;
  if (noted.some(({ note }) => note !== noted[0].note)) {
    const shown = noted.slice(0, MAX_NOTES).map(({ note, number }) => ` Query ${number}: ${note}`);
    const more = noted.length - shown.length;
    return `${shown.join('')}${more > 0 ? ` ${more} more ${more === 1 ? 'query has a note' : 'queries have notes'}.` : ''}`;
  }
  const named = noted.map(({ number }) => String(number));
  return ` ${noted.length === 1 ? 'Query' : 'Queries'} ${enumerate(named)}: ${noted[0].note}`;
}
