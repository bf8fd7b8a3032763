// A recommendation as the JSON of its answer, put together from the items' texts.
import type { UsedObjective } from '../domain/objective.ts';
import type { ListedItem } from '../placements/item-list.ts';

const SHOWN_REASONS = 3;

/** Something of the request that could not be used. */
export interface CallWarning {
  readonly code: string;
  readonly message: string;
}

export interface AnswerHead {
  readonly user_id: string | null;
  readonly limit: number;
  readonly attributes: readonly string[];
  readonly filter_query: string | null;
  readonly objective: UsedObjective;
  readonly model_id: string;
  /** only where there are any */
  readonly warnings?: readonly CallWarning[];
}

/** `results`: each the text of an item, and what stands beside it. */
export function answerText(head: AnswerHead, results: readonly string[]): string {
  const list = results.length === 0 ? '' : `{"item":${results.join('},{"item":')}}`;
  return `${JSON.stringify(head).slice(0, -1)},"results":[${list}]}`;
}

/** The items from `meeting` on filled the list. */
export function markFilled(texts: readonly string[], meeting: number): readonly string[] {
  return meeting >= texts.length ? texts : texts.map((text, n) => (n < meeting ? text : `${text},"filled":true`));
}

export function explainedText(text: string, { score, reasons = [], filled }: ListedItem): string {
  const marked = filled ? `${text},"filled":true` : text;
  return `${marked},"score":${JSON.stringify(score)},"reasons":${JSON.stringify(reasons.slice(0, SHOWN_REASONS))}`;
}
