// Finds the best items for a question, as catalog numbers: the cached ones if nothing has changed, else
//
//   user's events and attributes, items that meet the filters → the steps of a list (src/placements)

import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { Attributes } from '../domain/record.ts';
import type { ItemList } from '../placements/item-list.ts';
import type { HistoryEvent } from '../store/event-store.ts';
import type { Store } from '../store/store.ts';
import type { FilterSets } from './filter-sets.ts';
import { filteredList } from './filtered-list.ts';
import type { MadeList } from './list-of-question.ts';
import type { ListQuestion } from './list-question.ts';
import { FILLED, PINNED, type Ranking, type RankingCache } from './ranking-cache.ts';
import { type RankingModels, readsAttributes } from './ranking-models.ts';
import type { TopLists } from './top-lists.ts';
import type { UserChanges } from './user-changes.ts';

const NO_ATTRIBUTES = Object.freeze({});
/** Stands for a user's number if the ranking depends on nobody's events. */
const NOBODY = -1;

export interface UserRankingsParts {
  readonly store: Store;
  readonly cache: RankingCache;
  readonly changes: UserChanges;
  readonly filters: FilterSets;
  readonly topLists: Pick<TopLists, 'of'>;
  readonly runtime?: Runtime;
}

/** The stored events and attributes of a user. */
interface KnownUser {
  /** newest first */
  readonly stored: readonly HistoryEvent[];
  readonly attributes: Attributes;
}

const NOTHING_KNOWN: KnownUser = { stored: [], attributes: NO_ATTRIBUTES };

export class UserRankings {
  readonly #parts: UserRankingsParts;

  constructor(parts: UserRankingsParts) {
    this.#parts = parts;
  }

  async best(models: RankingModels, question: ListQuestion): Promise<Ranking> {
    if (!isKeepable(question)) return rankingOf(await this.make(models, question));
    const { project, generator, ranker } = models;
    const { cache } = this.#parts;
    let changes = this.#parts.changes.follow(project.event_dataset_id);
    const following = generator.follower.follow();
    if (changes instanceof Promise || following instanceof Promise) {
      [changes] = await Promise.all([changes, following]);
    }
    const key = keyOf(models, question);
    const nowMs = (this.#parts.runtime ?? systemRuntime).nowMs();
    const kept = cache.find(key, question.limit, nowMs);
    const isCurrent = kept && (kept.user === NOBODY || changes.isUnchanged(kept.user, kept.version));
    if (isCurrent) {
      return kept.limit === question.limit ? kept : { ...kept, items: kept.items.subarray(0, question.limit) };
    }
    // Read before the events, which may then be newer than this version but never older.
    const { version } = changes;
    const known = await this.#read(models, question.user_id);
    const made = await filteredList(this.#parts, models, question, known);
    const ranking = rankingOf(made);
    // Attributes can change without a change of the events, so such rankings are not cached.
    const isSettled = generator.recommender.settled && (ranker?.recommender.settled ?? true);
    const keeper = question.user_id === null ? NOBODY : known.stored[0]?.user_no;
    if (!made.list.restsOnAttributes && isSettled && keeper !== undefined) {
      const { limit } = question;
      cache.keep(key, { ...ranking, limit, user: keeper, version, madeMs: nowMs });
    }
    return ranking;
  }

  /** Makes a list without the cache, with scores, and with reasons if the question asks for them. */
  async make(models: RankingModels, question: ListQuestion): Promise<MadeList> {
    const reading = this.#read(models, question.user_id);
    const [known] = await Promise.all([reading, models.generator.follower.follow()]);
    return filteredList(this.#parts, models, question, known);
  }

  async #read(models: RankingModels, userId: string | null): Promise<KnownUser> {
    const { project, generator, ranker } = models;
    if (userId === null) return NOTHING_KNOWN;
    const { events, users } = this.#parts.store;
    const limit = Math.max(generator.recommender.historyLimit, ranker?.recommender.historyLimit ?? 0);
    const reading = events.history(project.event_dataset_id, userId, limit);
    if (!readsAttributes(models)) return { stored: await reading, attributes: NO_ATTRIBUTES };
    const [stored, record] = await Promise.all([reading, users.get(project.user_dataset_id, userId)]);
    return { stored, attributes: record?.attributes ?? NO_ATTRIBUTES };
  }
}

export function rankingOf({ list: { items }, objective, relation, skippedPins, meetsNone }: MadeList): Ranking {
  const numbers = new Uint32Array(items.length);
  for (let n = 0; n < items.length; n++) numbers[n] = items[n].item;
  return { objective, relation, skippedPins, meetsNone, items: numbers, marks: marksOf(items) };
}

function marksOf(items: ItemList['items']): Uint8Array | null {
  if (!items.some(({ filled, pinned }) => filled || pinned)) return null;
  return Uint8Array.from(items, ({ filled, pinned }) => (pinned ? PINNED : filled ? FILLED : 0));
}

/**
 * Inputs sent with a call apply only to it, and lists of counts or of given items change by the minute or by call.
 * These are not cached.
 */
function isKeepable({ kinds, session_events, context, shown, tired, explain }: ListQuestion): boolean {
  if (session_events || context || explain || shown.length > 0 || tired?.size) return false;
  return kinds.every(({ kind }) => kind === 'user' || kind === 'related');
}

/**
 * The key contains everything that a ranking depends on except the user's events. Load numbers and catalog versions are never
 * reused in a process. Ids have no control characters, so two different requests never share a key.
 */
function keyOf({ project, deployment, generator, ranker }: RankingModels, question: ListQuestion): string {
  const { user_id, limit, filter, boosts, diversity, kinds, pins } = question;
  const size = dependsOnLength(question, ranker) ? `${ranker?.loadNo ?? ''}/${limit}` : '';
  const source = `${deployment} ${generator.loadNo} ${size} ${generator.catalog.version}`;
  const factors = boosts.map((boost) => `${boost.factor} ${boost.filter.key}\n`).join('');
  const { exclude_item_ids, exclude_event_types, exclude_seen, touch_days } = question;
  const left = [exclude_item_ids, exclude_event_types, exclude_seen, touch_days];
  const fields = JSON.stringify([kinds, ...left, pins, diversity]);
  return `${source}\n${project.project_id}\n${user_id ?? ''}\n${fields}\n${factors}\n${filter?.key ?? ''}`;
}

/**
 * Whether a shorter list may not be the beginning of a longer one, because it is chosen from fewer candidates: with a ranker, with
 * diversity, and where a user's taste orders related items.
 */
function dependsOnLength({ user_id, diversity, kinds }: ListQuestion, ranker: RankingModels['ranker']): boolean {
  return ranker !== null || diversity !== null || (user_id !== null && kinds.some(({ kind }) => kind === 'related'));
}
