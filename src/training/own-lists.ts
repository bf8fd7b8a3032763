// Lists of `continue` and `again`, which come from a user's own events alone, and questions about them: of the items that the
// user was not done with, or had before, which did the user turn to? The lists are made by the code that serves.
import type { EventTable } from '../dataset/event-table.ts';
import type { Question } from '../dataset/questions.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import { byOwnOrder, type OwnItem, TOUCH_SCORES } from '../history/touch-scores.ts';
import { touchesOf } from '../history/touches.ts';
import type { SignalEvent } from '../history/user-signal.ts';
import type { Asked, RankedLists } from './evaluate.ts';

export const OWN_OBJECTIVES = ['continue', 'again'] as const;
export type OwnObjective = (typeof OWN_OBJECTIVES)[number];

/** A question with the time when it was asked. */
export interface TimedQuestion extends Question {
  readonly nowMs: number;
}

/** The order of the user's items: by the objective, by popularity, or by the newest event. */
export type OwnOrder = 'objective' | 'popularity' | 'newest';

export interface OwnAsked {
  readonly asked: Asked;
  readonly lists: Readonly<Record<OwnOrder, RankedLists>>;
}

export interface OwnInput {
  readonly table: EventTable;
  readonly rules: ObjectiveRules;
  /** popularity of each item; larger is more popular */
  readonly popularity: ArrayLike<number>;
  readonly limit: number;
}

/** Targets that the objective cannot recommend are left out, and questions without any other. */
export function askOwn(input: OwnInput, objective: OwnObjective, questions: readonly TimedQuestion[]): OwnAsked {
  const { limit } = input;
  const lists = { objective: new Lists(limit), popularity: new Lists(limit), newest: new Lists(limit) };
  const targets: number[] = [];
  const targetOffsets = [0];
  const users: number[] = [];
  for (const question of questions) {
    const candidates = candidatesOf(input, objective, question);
    const known = new Set(candidates.map(({ item }) => item));
    const found = question.targets.filter((item) => known.has(item));
    if (found.length === 0) continue;
    for (const item of found) targets.push(item);
    targetOffsets.push(targets.length);
    users.push(question.user);
    lists.objective.add(candidates, byOwnOrder);
    lists.popularity.add(candidates, (a, b) => b.popularity - a.popularity);
    lists.newest.add(candidates, (a, b) => b.ts - a.ts);
  }
  return {
    asked: {
      count: users.length,
      targetOffsets: Uint32Array.from(targetOffsets),
      targets: Uint32Array.from(targets),
      users: Uint32Array.from(users),
    },
    lists: {
      objective: lists.objective.finish(),
      popularity: lists.popularity.finish(),
      newest: lists.newest.finish(),
    },
  };
}

/** Questions of held-out visits, with all that the user turned to: they are asked when the visit begins. */
export function timed(table: EventTable, questions: readonly Question[]): TimedQuestion[] {
  return questions.map((question) => ({ ...question, nowMs: table.ts[Math.min(question.end, table.length - 1)] }));
}

function candidatesOf(input: OwnInput, objective: OwnObjective, question: TimedQuestion): OwnItem[] {
  const { table, rules, popularity } = input;
  const { user, end, nowMs } = question;
  const events: SignalEvent[] = [];
  for (let event = end - 1; event >= table.userOffsets[user]; event--) {
    events.push({
      item_id: String(table.item[event]),
      item_no: table.item[event],
      event_type: table.typeNames[table.type[event]],
      event_value: table.value[event],
      ts: table.ts[event],
    });
  }
  const touches = touchesOf(events, { rules, nowMs, itemOf: ({ item_no }) => item_no! });
  return [...touches.values()].flatMap((touch) => {
    const scored = TOUCH_SCORES[objective](touch, nowMs);
    return scored === null ? [] : [{ item: touch.item, popularity: popularity[touch.item] ?? 0, ...scored }];
  });
}

/** The best of each question, in the form that is measured: a place in the list instead of a score, shared by those that are equal. */
class Lists {
  readonly #limit: number;
  readonly #lists: { readonly item: number; readonly score: number }[][] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(candidates: readonly OwnItem[], order: (a: OwnItem, b: OwnItem) => number): void {
    const ordered = [...candidates].sort((a, b) => order(a, b) || a.item - b.item);
    let place = 0;
    const placed = ordered.map((own, n) => {
      if (n > 0 && order(ordered[n - 1], own) !== 0) place = n;
      return { item: own.item, score: -place };
    });
    this.#lists.push(placed.slice(0, this.#limit));
  }

  finish(): RankedLists {
    const limit = this.#limit;
    const [items, scores] = [
      new Uint32Array(this.#lists.length * limit),
      new Float32Array(this.#lists.length * limit),
    ] as const;
    for (const [n, list] of this.#lists.entries()) {
      for (const [place, { item, score }] of list.entries()) {
        items[n * limit + place] = item;
        scores[n * limit + place] = score;
      }
    }
    return { limit, counts: Uint32Array.from(this.#lists, ({ length }) => length), items, scores };
  }
}
