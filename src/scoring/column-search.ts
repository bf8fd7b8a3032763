// The bulk mode of a recommender: the lists `discover` and `any` of one user after the other, straight from the columns of a scan,
// without an object for each event and item. Only the reading of events is its own: scores and the search for the best are those of
// a call (user-scores.ts, top-search.ts). Users with dislikes, without a history, or whose list has to be filled from other sources
// are left to the steps of a list.
// Belongs to one thread; what it found is overwritten by the next user.

import { DAY_MS } from '../base/durations.ts';
import { NumberSet } from '../base/number-set.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ItemBitmap } from '../catalog/item-set.ts';
import { StoredNumbers } from '../catalog/stored-numbers.ts';
import type { Attributes } from '../domain/record.ts';
import type { EventRun } from '../history/fold-events.ts';
import type { StoredNames } from '../history/history-folder.ts';
import { momentAt } from '../history/moment.ts';
import type { ObjectiveRules } from '../history/objective-rules.ts';
import { isRemembered } from '../history/touches.ts';
import { NO_BOOSTS } from './boost.ts';
import type { TopSearch } from './top-search.ts';
import type { UserReader } from './user-reader.ts';
import type { UserScores } from './user-scores.ts';

export interface ColumnQuestion {
  readonly objective: 'discover' | 'any';
  readonly limit: number;
  /** if set, only these of the listed items */
  readonly allow: ItemBitmap | null;
  readonly nowMs: number;
  /** a touch other than a target event is forgotten after this time */
  readonly touchDays: number;
  /** items with an event of these types are left out */
  readonly excludedTypes: readonly string[];
  readonly names: StoredNames;
}

/** The parts of a recommender that the search needs. */
interface SearchedModel {
  readonly catalog: Catalog;
  readonly objectives: ObjectiveRules;
  listed(): ItemBitmap;
  isTakenOnce(item: number): boolean;
}

export interface ColumnSearchParts {
  readonly recommender: SearchedModel;
  readonly reader: UserReader;
  readonly scores: UserScores;
  readonly search: TopSearch;
}

const NOT_PLAIN = -1;

export class ColumnSearch {
  readonly #parts: ColumnSearchParts;
  readonly #numbers: StoredNumbers;
  /** catalog numbers of items to leave out */
  readonly #leftOut = new NumberSet();

  constructor(parts: ColumnSearchParts) {
    this.#parts = parts;
    this.#numbers = new StoredNumbers(parts.recommender.catalog);
  }

  /** Catalog numbers of what was found, best first. */
  get items(): Uint32Array {
    return this.#parts.search.items;
  }

  get scores(): Float64Array {
    return this.#parts.search.scores;
  }

  /**
   * Returns the number of items found if that is all the list needs. A negative result means that the list must be made
   * the usual way.
   */
  find(run: EventRun, question: ColumnQuestion, attributes: Attributes): number {
    const { reader, scores, search, recommender } = this.#parts;
    const { limit, nowMs, objective, allow } = question;
    if (hasDislikes(run)) return NOT_PLAIN;
    const state = reader.readStored(run, question, attributes);
    if (state.history.length === 0) return NOT_PLAIN;
    this.#leaveOut(run, question);
    const now = momentAt(run.to - run.from, (n) => run.columns.ts[run.to - 1 - n], nowMs);
    const asked = scores.about(state, this.#leftOut, now, objective === 'discover');
    const count = search.find(asked, { limit, allow: allow ?? recommender.listed(), boosts: NO_BOOSTS });
    // If fewer are found, other items must fill the list.
    return count < limit ? NOT_PLAIN : count;
  }

  /** `discover` leaves out what the user knows, `any` what the user had and people take once (placements/touched-items.ts). */
  #leaveOut({ columns, from, to }: EventRun, question: ColumnQuestion): void {
    const { objective, nowMs, touchDays, names, excludedTypes } = question;
    const { recommender } = this.#parts;
    const touchMs = touchDays * DAY_MS;
    const target = recommender.objectives.targetEventType;
    const leftOut = this.#leftOut;
    leftOut.clear();
    for (let at = from; at < to; at++) {
      const item = this.#numbers.itemOf(columns.item[at], names.items[columns.item[at]]);
      if (item < 0 || leftOut.has(item)) continue;
      const type = names.types[columns.type[at]];
      const isTarget = type === target;
      const isOut =
        (objective === 'any'
          ? isTarget && recommender.isTakenOnce(item)
          : isTarget || isRemembered(columns.ts[at], nowMs, touchMs)) ||
        (excludedTypes.length > 0 && excludedTypes.includes(type));
      if (isOut) leftOut.add(item);
    }
  }
}

function hasDislikes({ columns, from, to }: EventRun): boolean {
  for (let at = from; at < to; at++) if (columns.value[at] < 0) return true;
  return false;
}
