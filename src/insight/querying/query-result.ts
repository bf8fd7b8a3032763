// A querying job's conditions and findings in words, for its result files and message.

import type { Condition } from '../../domain/insight-request.ts';
import { percent } from '../charts/svg.ts';
import { enumerate } from '../results/result-head.ts';
import { pairInWords } from '../usage/usage-pairs.ts';

/** Of a message. */
const MAX_NOTES = 3;

export function conditionInWords(condition: Condition): string {
  const { lower_bound: lower, upper_bound: upper } = condition;
  const what = `usage of ${pairInWords(condition)}`;
  if (lower !== null && upper !== null) return `${what} from ${percent(lower)} to ${percent(upper)}`;
  if (lower !== null) return `${what} at least ${percent(lower)}`;
  if (upper !== null) return `${what} at most ${percent(upper)}`;
  return `any ${what}`;
}

/** What is wrong with which query, for `message`. */
export function notesInWords(notes: readonly (string | null)[]): string {
  const empty = notes.flatMap((note, index) => (note === null ? [] : [{ note, number: index + 1 }]));
  if (empty.length === 0) return '';
  if (notes.length === 1) return ` ${empty[0].note}`;
  if (empty.some(({ note }) => note !== empty[0].note)) {
    const shown = empty.slice(0, MAX_NOTES).map(({ note, number }) => ` Query ${number}: ${note}`);
    const more = empty.length - shown.length;
    return `${shown.join('')}${more > 0 ? ` ${more} more found nothing for similar reasons.` : ''}`;
  }
  const named = empty.map(({ number }) => String(number));
  return ` ${empty[0].note} ${empty.length === 1 ? 'Query' : 'Queries'} ${enumerate(named)} found nothing for this reason.`;
}
