// A querying job's conditions and findings in words, for its result files and message.

import type { Condition } from '../../domain/insight-request.ts';
import { percent } from '../charts/svg.ts';
import { enumerate } from '../results/result-head.ts';
import { pairInWords, type UsagePair } from './usage-pairs.ts';

/** The attribute values of a query that no listed item has. */
export function missingNote(missing: readonly UsagePair[]): string | null {
  return missing.length === 0 ? null : `No item has ${missing.map(pairInWords).join(' or ')}.`;
}

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
  const named = empty.map(({ number }) => String(number));
  return ` ${empty[0].note} ${empty.length === 1 ? 'Query' : 'Queries'} ${enumerate(named)} found nothing for this reason.`;
}
