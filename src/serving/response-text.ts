// A recommendation as the JSON of its response, put together from the items' texts.

import { inTurns, type Steps } from '../base/steps.ts';
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../domain/response-limit.ts';
import type { ListedItem } from '../placements/item-list.ts';
import type { CallRoom } from './call-room.ts';
import { FILLED, PINNED } from './ranking-cache.ts';
import { shownScore } from './shown-score.ts';

const SHOWN_REASONS = 3;

/** A part of the request that could not be used. */
export interface CallWarning {
  readonly code: string;
  readonly message: string;
}

/** A longer response is composed as bytes, in short steps. */
const SHORT_RESPONSE_LENGTH = 64 * 1024;

/** `results`: the text of each item and of the fields next to it. */
export function responseText(
  head: object,
  results: readonly string[],
  room: Pick<CallRoom, 'take'>,
): string | Promise<Buffer> {
  const start = `${JSON.stringify(head).slice(0, -1)},"results":[`;
  const length = results.reduce((sum, text) => sum + text.length, start.length);
  if (length > SHORT_RESPONSE_LENGTH) return inTurns(responseBytes(start, results, room));
  const list = results.length === 0 ? '' : `{"item":${results.join('},{"item":')}}`;
  return `${start}${list}]}`;
}

function* responseBytes(start: string, results: readonly string[], room: Pick<CallRoom, 'take'>): Steps<Buffer> {
  const end = ']}';
  let bytes = Buffer.byteLength(start) + end.length;
  for (const text of results) {
    bytes += Buffer.byteLength(text) + ',{"item":}'.length;
    if (bytes > MAX_RESPONSE_BYTES) throw responseTooLarge();
    yield;
  }
  room.take(bytes);
  const response = Buffer.allocUnsafe(bytes);
  let at = response.write(start);
  for (const [n, text] of results.entries()) {
    at += response.write(`${n === 0 ? '' : ','}{"item":`, at);
    at += response.write(text, at);
    at += response.write('}', at);
    yield;
  }
  at += response.write(end, at);
  return response.subarray(0, at);
}

/** The JSON that follows an item, by its mark. */
const MARKS: Record<number, string> = { [FILLED]: ',"filled":true', [PINNED]: ',"pinned":true' };

export function markedTexts(texts: readonly string[], marks: Uint8Array | null): readonly string[] {
  return marks === null ? texts : texts.map((text, n) => text + (MARKS[marks[n]] ?? ''));
}

/** What responses show of an item's score. */
export type Shown = 'marks' | 'score' | 'reasons';

/** The JSON that follows an item because of how it came into the list. */
export function markOf({ filled, pinned }: Pick<ListedItem, 'filled' | 'pinned'>): string {
  return pinned ? MARKS[PINNED] : filled ? MARKS[FILLED] : '';
}

/** In a ranking: an item without a score. */
export const unscoredText = (text: string): string => `${text},"score":null`;

/** A pinned item has neither score nor reasons. */
export function explainedText(text: string, listed: ListedItem, shown: Shown): string {
  const { score, reasons = [], pinned } = listed;
  const marked = text + markOf(listed);
  if (shown === 'marks' || pinned) return marked;
  const scored = `${marked},"score":${shownScore(score)}`;
  if (shown === 'score') return scored;
  const shownReasons = reasons
    .slice(0, SHOWN_REASONS)
    .map((reason) => ({ ...reason, contribution: shownScore(reason.contribution) }));
  return `${scored},"reasons":${JSON.stringify(shownReasons)}`;
}
