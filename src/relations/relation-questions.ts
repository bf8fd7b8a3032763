// Questions that relations are judged by: of a sample of users the newest visits are hidden, and an item leads to what is in them.
// - together: one item with a target event in the visit → the others
// - next: one item with a target event in the visit before → the items with a target event in the visit that were not in the one before
// - similar: one item that was looked at in the visit → the others that were; where there is only the target event, as next,
//   from any item before

import type { EventTable } from '../dataset/event-table.ts';
import { hash32 } from '../dataset/random.ts';
import type { Relation } from '../domain/relation.ts';
import { visitStart } from '../history/visits.ts';

export interface RelationQuestion {
  readonly item: number;
  readonly wanted: readonly number[];
}

export interface RelationQuestions {
  /** 1 for events that are hidden from fitting */
  readonly hidden: Uint8Array;
  readonly questions: Readonly<Record<Relation, readonly RelationQuestion[]>>;
}

const MAX_ASKED_USERS = 2000;
/** For each user who is asked, about this many others keep their newest visit. */
const KEPT_FOR_ASKED = 3;

export function askRelations(table: EventTable, gapMs: number, seed: number): RelationQuestions {
  const hidden = new Uint8Array(table.length);
  const questions: Record<Relation, RelationQuestion[]> = { similar: [], together: [], next: [] };
  const isTarget = (type: number) => type === table.targetType;
  const chance = Math.min(1 / (1 + KEPT_FOR_ASKED), MAX_ASKED_USERS / Math.max(1, table.userCount));
  for (let user = 0; user < table.userCount; user++) {
    if (hash32(seed ^ 0x2545f491, user) / 2 ** 32 >= chance) continue;
    const from = table.userOffsets[user];
    const draw = (list: readonly number[]) => list[hash32(seed, user) % list.length];
    const ask = (relation: Relation, item: number, wanted: readonly number[]) => {
      const others = wanted.filter((other) => other !== item);
      if (others.length > 0) questions[relation].push({ item, wanted: others });
    };
    const basket = newestVisit(table, { user, gapMs }, isTarget);
    if (basket.items.length > 1) ask('together', draw(basket.items), basket.items);
    const before = new Set(newestVisit(table, { user, gapMs, end: basket.start }, isTarget).items);
    const isNew = (item: number) => !before.has(item);
    if (before.size > 0) ask('next', draw([...before]), basket.items.filter(isNew));
    let { start } = basket;
    if (table.typeNames.length > 1) {
      const compared = newestVisit(table, { user, gapMs }, (type) => !isTarget(type));
      if (compared.items.length > 1) ask('similar', draw(compared.items), compared.items);
      start = Math.min(start, compared.start);
    } else if (start > from) {
      ask('similar', table.item[from + (hash32(seed, user) % (start - from))], basket.items);
    }
    hidden.fill(1, start, table.userOffsets[user + 1]);
  }
  return { hidden, questions };
}

/** The newest visit before event `end` with an event that counts: where it begins, and the distinct items of those events. */
function newestVisit(
  table: EventTable,
  { user, gapMs, end = table.userOffsets[user + 1] }: { user: number; gapMs: number; end?: number },
  counts: (type: number) => boolean,
): { start: number; items: number[] } {
  const from = table.userOffsets[user];
  let last = end - 1;
  while (last >= from && !counts(table.type[last])) last--;
  if (last < from) return { start: end, items: [] };
  const start = visitStart(table.ts, from, last, gapMs);
  const items = new Set<number>();
  for (let event = start; event <= last; event++) if (counts(table.type[event])) items.add(table.item[event]);
  return { start, items: [...items] };
}
