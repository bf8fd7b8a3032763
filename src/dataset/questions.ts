// Chooses which events are held out, and the questions about them. A question is a user at a moment: the history is every event
// before it, the targets are what the user turned to afterwards. Nothing of a held-out item is left in a history: it ends before
// the visit (or the place in the visit) in which the user first touched the item.
//
// - *arriving*: the user begins a visit, and all target items after that moment are predicted. With real times everything after
//   one date is held out, of all users: what others did later is no hint. Without, each user's newest visits are held out, with
//   about a fifth of the target items.
// - *browsing*: the user is in a visit. The next target item is predicted, one by one, up to three per user.
// - *fifth*: without any order, a random fifth of the target items.
// Events of equal time are a set: a history never has some of them and not the others.

import { visitEnd, visitStart } from '../history/visits.ts';
import type { EventTable } from './event-table.ts';
import { hash32 } from './random.ts';

export type QuestionKind = 'arriving' | 'browsing' | 'next' | 'fifth';

export interface Question {
  readonly user: number;
  /** the history is the user's visible events before this one */
  readonly end: number;
  /** distinct items, oldest first */
  readonly targets: readonly number[];
  /** asked before the date at which all are cut: what others did later is known, so it may choose but not measure */
  readonly isEarlier?: boolean;
}

export interface HoldOutRules {
  /** `any`: items the user had before may be targets; `discover`: only items the user never touched */
  readonly objective: 'discover' | 'any';
  readonly kinds: readonly QuestionKind[];
  readonly gapMs: number;
  /** everything from this time on is held out; null: the newest events of each user */
  readonly cutTs: number | null;
  /** whether users without a question after that time get one from their newest visits before it */
  readonly asksEarlier?: boolean;
  /** share of the users who are asked, chosen by hash; the others keep all their events. Default: 1 */
  readonly askedShare?: number;
  /** which users' questions are kept; those of others are only counted. Default: all */
  readonly keeps?: ((user: number) => boolean) | undefined;
  readonly seed: number;
}

export interface HeldOut {
  /** 1 for events that are hidden from fitting */
  readonly hidden: Uint8Array;
  readonly questions: Readonly<Record<QuestionKind, Question[]>>;
  /** number of questions, kept or not */
  readonly asked: Readonly<Record<QuestionKind, number>>;
}

const HELD_OUT_SHARE = 0.2;
/** Number of a user's last items that are predicted one by one. */
const NEXT_ITEMS = 3;

/** A time at which a user turned to an item that counts as a target: the first event that leads to it. */
interface Occasion {
  readonly item: number;
  readonly event: number;
}

export function holdOut(table: EventTable, rules: HoldOutRules): HeldOut {
  const hidden = new Uint8Array(table.length);
  const questions: HeldOut['questions'] = { arriving: [], browsing: [], next: [], fifth: [] };
  const asked: Record<QuestionKind, number> = { arriving: 0, browsing: 0, next: 0, fifth: 0 };
  const asker = new Asker(table, rules);
  const keep = (kind: QuestionKind, question: Question) => {
    asked[kind]++;
    if (rules.keeps?.(question.user) ?? true) questions[kind].push(question);
  };
  const { askedShare = 1 } = rules;
  for (let user = 0; user < table.userCount; user++) {
    if (askedShare < 1 && hash32(rules.seed ^ 0x3c6ef372, numberOf(table, user)) / 2 ** 32 >= askedShare) continue;
    if (rules.kinds.includes('fifth')) {
      const question = asker.randomFifth(user, hidden);
      if (question) keep('fifth', question);
      continue;
    }
    const cut = asker.cutOf(user);
    let firstHidden = cut ?? table.userOffsets[user + 1];
    const ask = (cutAt: number | null, isEarlier: boolean): number => {
      const newest = asker.newestOccasions(user, cutAt);
      let own = 0;
      for (const kind of rules.kinds) {
        const some = kind === 'arriving' ? asker.arriving(user, cutAt, newest) : asker.next(kind, user, newest);
        own += some.length;
        for (const question of some) {
          keep(kind, isEarlier ? { ...question, isEarlier } : question);
          firstHidden = Math.min(firstHidden, question.end);
        }
      }
      return own;
    };
    if (ask(cut, false) === 0 && cut !== null && rules.asksEarlier) ask(null, true);
    hidden.fill(1, firstHidden, table.userOffsets[user + 1]);
  }
  return { hidden, questions, asked };
}

/** The user's number among all users. */
function numberOf({ firstUser = 0 }: EventTable, user: number): number {
  return firstUser + user;
}

/** Items that the user turned to after the question: all of them, or only items never touched before. */
export function targetsOf(
  table: EventTable,
  { user, end }: Pick<Question, 'user' | 'end'>,
  objective: HoldOutRules['objective'],
): number[] {
  const touched = new Set<number>();
  if (objective === 'discover')
    for (let event = table.userOffsets[user]; event < end; event++) touched.add(table.item[event]);
  const targets = new Set<number>();
  for (let event = end; event < table.userOffsets[user + 1]; event++) {
    if (table.type[event] === table.targetType && !touched.has(table.item[event])) targets.add(table.item[event]);
  }
  return [...targets];
}

/** Works on one user after the other; marks of the last user are recognized by its number. */
class Asker {
  readonly #table: EventTable;
  readonly #rules: HoldOutRules;
  readonly #first: Uint32Array;
  readonly #markOf: Int32Array;
  readonly #takenOf: Int32Array;
  #mark = 0;

  constructor(table: EventTable, rules: HoldOutRules) {
    this.#table = table;
    this.#rules = rules;
    this.#first = new Uint32Array(table.itemCount);
    this.#markOf = new Int32Array(table.itemCount).fill(-1);
    this.#takenOf = new Int32Array(table.itemCount).fill(-1);
  }

  /** The first held-out event of the user where all are cut at one time: the visit that lasts beyond it is held out whole. */
  cutOf(user: number): number | null {
    const { cutTs, gapMs } = this.#rules;
    const { ts, userOffsets } = this.#table;
    if (cutTs === null) return null;
    let first = userOffsets[user + 1];
    while (first > userOffsets[user] && ts[first - 1] >= cutTs) first--;
    return first === userOffsets[user + 1] ? first : visitStart(ts, userOffsets[user], first, gapMs);
  }

  /** The held-out occasions, oldest first. */
  newestOccasions(user: number, cut: number | null): Occasion[] {
    const occasions = this.#occasionsOf(user);
    if (cut !== null) return occasions.filter(({ event }) => event >= cut);
    return occasions.slice(-Math.max(1, Math.floor(occasions.length * HELD_OUT_SHARE)));
  }

  /** Oldest first. To discover, an item counts once, when it was first touched; else once a visit. */
  #occasionsOf(user: number): Occasion[] {
    const { item, type, targetType, ts, userOffsets } = this.#table;
    const { objective, gapMs } = this.#rules;
    const occasions: Occasion[] = [];
    let mark = ++this.#mark;
    for (let event = userOffsets[user]; event < userOffsets[user + 1]; event++) {
      const newVisit = event > userOffsets[user] && ts[event] - ts[event - 1] > gapMs;
      if (objective === 'any' && newVisit) mark = ++this.#mark;
      const i = item[event];
      if (this.#markOf[i] !== mark) {
        this.#markOf[i] = mark;
        this.#first[i] = event;
      }
      if (type[event] !== targetType || this.#takenOf[i] === mark) continue;
      this.#takenOf[i] = mark;
      occasions.push({ item: i, event: this.#first[i] });
    }
    return occasions.sort((a, b) => a.event - b.event);
  }

  arriving(user: number, cut: number | null, newest: readonly Occasion[]): Question[] {
    const { ts, userOffsets } = this.#table;
    const { objective, gapMs } = this.#rules;
    const from = userOffsets[user];
    const second = visitEnd(ts, userOffsets[user + 1], from, gapMs);
    const held = newest.find(({ event }) => event >= second);
    const end = cut ?? (held === undefined ? from : visitStart(ts, from, held.event, gapMs));
    const targets = end === from ? [] : targetsOf(this.#table, { user, end }, objective);
    return targets.length === 0 ? [] : [{ user, end, targets }];
  }

  next(kind: QuestionKind, user: number, newest: readonly Occasion[]): Question[] {
    const { ts, userOffsets } = this.#table;
    const from = userOffsets[user];
    const questions: Question[] = [];
    for (const { item, event } of newest.slice(-NEXT_ITEMS)) {
      const end = visitStart(ts, from, event, 0);
      const begun = end > visitStart(ts, from, event, this.#rules.gapMs);
      if (end === from || (kind === 'browsing' && !begun)) continue;
      questions.push({ user, end, targets: [item] });
    }
    return questions;
  }

  /**
   * Chooses by the hash of user and item, so that the order in which events were written has no effect. Hides all
   * events of the chosen items.
   */
  randomFifth(user: number, hidden: Uint8Array): Question | null {
    const { userOffsets, item } = this.#table;
    const targets = targetsOf(this.#table, { user, end: userOffsets[user] }, 'any');
    const from = userOffsets[user];
    const to = userOffsets[user + 1];
    const count = Math.max(1, Math.floor(targets.length * HELD_OUT_SHARE));
    const key = (i: number) => hash32(hash32(this.#rules.seed, numberOf(this.#table, user)), i);
    const chosen = new Set(targets.sort((a, b) => key(a) - key(b) || a - b).slice(0, count));
    let left = 0;
    for (let event = from; event < to; event++) if (!chosen.has(item[event])) left++;
    if (chosen.size === 0 || left === 0) return null;
    for (let event = from; event < to; event++) if (chosen.has(item[event])) hidden[event] = 1;
    return { user, end: to, targets: [...chosen] };
  }
}
