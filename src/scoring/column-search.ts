// The bulk mode of the search: the best items of one user after the other, straight from the columns of a scan, without an object
// for each event and item. It is the short way of `top-search.ts` for the lists `discover` and `any`; whoever needs more (dislikes,
// new items, attributes, no history, too few items) is left to the usual way, so both return the same.
// Belongs to one thread; what it found is overwritten by the next user.
import type { ItemBitmap } from '../catalog/item-set.ts';
import type { ColdItems } from '../cold-start/cold-items.ts';
import type { EventRun } from '../history/fold-events.ts';
import type { HistoryFolder, StoredNames } from '../history/history-folder.ts';
import { DAY_MS } from '../history/history-rules.ts';
import { momentAfter } from '../history/moment.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { AllowedWarmItems } from './allowed-warm.ts';
import type { ListedItems } from './listed-items.ts';
import type { Scorer } from './scorer.ts';
import { MAX_FAST } from './top-search.ts';
import { scoringAt } from './user-scores.ts';
import type { WarmItems } from './warm-items.ts';

export interface ColumnQuestion {
  readonly objective: 'discover' | 'any';
  readonly limit: number;
  /** only these of the listed items; null: all of them */
  readonly allow: ItemBitmap | null;
  readonly nowMs: number;
  /** a touch other than a target event is forgotten after this time */
  readonly touchDays: number;
  readonly names: StoredNames;
}

export interface ColumnSearchParts {
  readonly folder: HistoryFolder;
  readonly scorer: Scorer;
  readonly items: WarmItems;
  readonly coldItems: ColdItems;
  readonly listed: ListedItems;
  readonly allowed: AllowedWarmItems;
  readonly objectives: ObjectiveRules;
  /** 1 at the index of an item that users take once; null: of none */
  readonly onceItems: Uint8Array | null;
}

const NOT_PLAIN = -1;

export class ColumnSearch {
  /** catalog numbers of what was found, best first */
  readonly items = new Uint32Array(MAX_FAST);
  readonly scores = new Float32Array(MAX_FAST);
  readonly #parts: ColumnSearchParts;
  readonly #isTarget: boolean[] = [];
  /** by warm index: the turn in which the item was found to be left out, and in which it was in the history */
  readonly #leftOut: Uint32Array;
  readonly #inHistory: Uint32Array;
  #turn = 0;
  /** warm indices that are left out */
  #out: Uint32Array;
  #outCount = 0;

  constructor(parts: ColumnSearchParts) {
    this.#parts = parts;
    this.#leftOut = new Uint32Array(parts.items.count);
    this.#inHistory = new Uint32Array(parts.items.count);
    this.#out = new Uint32Array(parts.items.count);
  }

  /** How many items were found: all that the list needs. Below 0: make the list the usual way. */
  find(run: EventRun, question: ColumnQuestion): number {
    const { folder, scorer, items, coldItems, listed, allowed, objectives } = this.#parts;
    const { limit, nowMs, names } = question;
    if (limit > MAX_FAST || coldItems.count > 0 || hasDislikes(run)) return NOT_PLAIN;
    const history = folder.foldStored(run, names);
    if (history.length === 0) return NOT_PLAIN;
    this.#leaveOut(run, question);
    const excluded = this.#mark(history);
    const now = momentAfter(run.columns.ts[run.to - 1], nowMs);
    const all = listed.now();
    const { words, few } = allowed.of(question.allow ?? all, all);
    const moment = scoringAt(now, question.objective === 'discover', objectives);
    const count = scorer.top(history, limit, { moment, excluded, allow: words, few }, this);
    // Fewer: others fill the list.
    if (count < limit) return NOT_PLAIN;
    for (let n = 0; n < count; n++) this.items[n] = items.numbers[this.items[n]];
    return count;
  }

  /** `discover` leaves out what the user knows, `any` what the user had and people take once (placements/touched-items.ts). */
  #leaveOut({ columns, from, to }: EventRun, { objective, nowMs, touchDays, names }: ColumnQuestion): void {
    const touchMs = touchDays * DAY_MS;
    const { folder, onceItems, items } = this.#parts;
    const turn = this.#nextTurn();
    this.#outCount = 0;
    for (let at = from; at < to; at++) {
      const index = folder.indexOfStored(columns.item[at], names);
      if (index < 0 || index >= items.count || this.#leftOut[index] === turn) continue;
      const isTarget = this.#isTargetType(columns.type[at], names);
      const isOut =
        objective === 'any' ? isTarget && onceItems?.[index] === 1 : isTarget || nowMs - columns.ts[at] < touchMs;
      if (!isOut) continue;
      this.#leftOut[index] = turn;
      this.#out[this.#outCount++] = index;
    }
  }

  /** Marks what is left out in the history; returns what is left out besides. */
  #mark({ items, seen, length }: ScoringHistory): Uint32Array {
    for (let n = 0; n < length; n++) {
      this.#inHistory[items[n]] = this.#turn;
      seen[n] = this.#leftOut[items[n]] === this.#turn ? 1 : 0;
    }
    let kept = 0;
    for (let n = 0; n < this.#outCount; n++) {
      if (this.#inHistory[this.#out[n]] !== this.#turn) this.#out[kept++] = this.#out[n];
    }
    return this.#out.subarray(0, kept);
  }

  #isTargetType(type: number, { types }: StoredNames): boolean {
    this.#isTarget[type] ??= types[type] === this.#parts.objectives.targetEventType;
    return this.#isTarget[type];
  }

  #nextTurn(): number {
    if (this.#turn === 0xffff_ffff) {
      this.#leftOut.fill(0);
      this.#inHistory.fill(0);
      this.#turn = 0;
    }
    return ++this.#turn;
  }
}

function hasDislikes({ columns, from, to }: EventRun): boolean {
  for (let at = from; at < to; at++) if (columns.value[at] < 0) return true;
  return false;
}
