// Puts a question, what the store knows of the user and the items of its filters together to a call that the steps of a list
// understand, and runs them.

import { DAY_MS } from '../base/durations.ts';
import { itemHash } from '../base/id-hash.ts';
import { traced } from '../base/trace.ts';
import { haveCommon, type ItemBitmap } from '../catalog/item-set.ts';
import type { UsedObjective } from '../domain/objective.ts';
import type { Attributes } from '../domain/record.ts';
import type { Relation } from '../domain/relation.ts';
import { withSession } from '../history/session-events.ts';
import type { Touch } from '../history/touches.ts';
import type { SignalEvent, UserSignal } from '../history/user-signal.ts';
import type { ItemList, ListInputs, Search, Source } from '../placements/item-list.ts';
import { allows, type CountedItems, givenSource, relatedSource, topSource } from '../placements/item-sources.ts';
import { knownItemsOf, leftOutOf } from '../placements/left-out.ts';
import type { ListKind } from '../placements/list-request.ts';
import { makeList } from '../placements/make-list.ts';
import { sourcesFor, without } from '../placements/objective-sources.ts';
import type { SkippedPin } from '../placements/pins.ts';
import { dislikedItems, hadItems } from '../placements/touched-items.ts';
import { userSources } from '../placements/user-sources.ts';
import type { Boost } from '../scoring/boost.ts';
import type { Recommender } from '../scoring/recommender.ts';
import type { ListQuestion } from './list-question.ts';
import type { RankingModels } from './ranking-models.ts';
import type { TopItemsOf } from './top-lists.ts';

const NO_ITEMS: CountedItems = { items: [], scores: [] };
const NOTHING: ReadonlySet<number> = new Set();
const NO_TOUCHES: ReadonlyMap<number, Touch> = new Map();
/** The objective that a list follows if no item matches its own. */
const FALLBACK = 'discover';

export interface MadeList {
  readonly list: ItemList;
  /** the objective of the list; null if it has none */
  readonly objective: UsedObjective | null;
  /** the relation of the list; null if it has none */
  readonly relation: Relation | null;
  readonly skippedPins: readonly SkippedPin[];
  /** whether there is a filter that no listed item meets; for a list of given items, none of these */
  readonly meetsNone: boolean;
  /** for a list of given items: those left out only because the user dislikes them, in their order; else empty */
  readonly disliked: readonly number[];
}

export interface ListData {
  readonly models: RankingModels;
  /** events of the user, newest first */
  readonly stored: readonly SignalEvent[];
  readonly attributes: Attributes;
  /** null allows every listed item */
  readonly allow: ItemBitmap | null;
  readonly boosts: readonly Boost[];
  readonly top: TopItemsOf;
  readonly nowMs: number;
}

export function makeListOf(question: ListQuestion, data: ListData): MadeList {
  const { generator } = data.models;
  const { recommender, catalog } = generator;
  const { tired } = question;
  const user = signalOf(question, data);
  const { nowMs, history } = user;
  const touches =
    history.length === 0
      ? NO_TOUCHES
      : generator.touches.read(history, { nowMs, excludedTypes: question.exclude_event_types });
  const { allow } = data;
  const listed = recommender.listed();
  const [main] = question.kinds;
  const given = main.kind === 'given' ? new Set(main.itemIds) : null;
  const wanted = { allow, exclude: knownItemsOf(catalog, question.exclude_item_ids) };
  const touched = { touches, excludeSeen: question.exclude_seen };
  const disliked = given === null ? [] : dislikedAmong(given, dislikedItems(touched), recommender, wanted);
  const { skipped, ...left } = leftOutOf(question, { catalog, listed, allow, given, ...touched });
  const follows: { relation: Relation | null } = { relation: null };
  const sources = traced('choose sources', () => sourcesOf(question, { data, user, touches, follows }));
  const inputs: ListInputs = {
    catalog,
    listed,
    sources,
    ...left,
    limit: question.limit,
    allow,
    boosts: data.boosts,
    diversity: question.diversity,
    isTired: tired?.size ? (item) => tired.has(itemHash(catalog.itemId(item))) : null,
    tiredCount: tired?.size ?? 0,
    likeness: (item, other) => recommender.likeness(item, other),
    explain: question.explain,
  };
  const list = traced('make list', () => makeList(inputs));
  const objective = objectiveOf(question, data, list);
  const meetsNone = list.items.length === 0 && !someAllowed(given, data, recommender);
  return { list, objective, relation: follows.relation, skippedPins: skipped, meetsNone, disliked };
}

interface SourceParts {
  readonly data: ListData;
  readonly user: UserSignal & { readonly nowMs: number };
  readonly touches: ReadonlyMap<number, Touch>;
  readonly follows: { relation: Relation | null };
}

function sourcesOf(question: ListQuestion, { data, user, touches, follows }: SourceParts): Source[] {
  const { generator: model, ranker: rankerModel } = data.models;
  const generator = model.recommender;
  const ranker = rankerModel?.recommender ?? null;
  const numbersOf = (ids: readonly string[]) => [...knownItemsOf(model.catalog, ids)];
  const touched = {
    touches,
    nowMs: user.nowMs,
    touchMs: question.touch_days * DAY_MS,
    excludeSeen: question.exclude_seen,
  };
  return question.kinds.flatMap((kind): Source[] => {
    const discovers = kind.objective === 'discover';
    switch (kind.kind) {
      case 'user': {
        const sources = userSources(usedObjective(kind.objective, data), { generator, ranker, user, ...touched });
        return kind.isStrict ? sources.slice(0, 1) : sources;
      }
      case 'related': {
        const isPersonal = question.user_id !== null || (question.session_events?.length ?? 0) > 0;
        const items = numbersOf(kind.itemIds);
        const about = { generator, items, relation: kind.relation, user: isPersonal ? user : null, discovers };
        const source = relatedSource(about, (relation) => (follows.relation ??= relation));
        return sourcesFor(kind.objective, touched, source, without(hadItems({ ...touched, generator }), source));
      }
      case 'given':
        return sourcesFor(
          kind.objective,
          touched,
          givenSource({ generator, ranker, user, discovers, items: numbersOf(kind.itemIds) }),
        );
      case 'top':
        return sourcesFor(kind.objective, touched, topSource(generator, data.top.get(kind) ?? NO_ITEMS));
      default:
        return kind satisfies never;
    }
  });
}

function signalOf(
  { session_events = [], context }: ListQuestion,
  { models, stored, attributes, nowMs }: ListData,
): UserSignal & { nowMs: number } {
  const rules = models.generator.recommender.objectives;
  const { catalog } = models.generator;
  const history = withSession(stored, session_events, { rules, nowMs, itemOf: (id) => catalog.indexOf(id) });
  return { history, attributes, nowMs, ...(context && { context }) };
}

function usedObjective(objective: Extract<ListKind, { kind: 'user' }>['objective'], { models }: ListData) {
  return objective === 'auto' ? models.generator.recommender.objectives.auto : objective;
}

function objectiveOf({ kinds: [kind] }: ListQuestion, data: ListData, { isMet }: ItemList): UsedObjective | null {
  if (kind.kind !== 'user') return kind.objective === undefined || kind.objective === 'auto' ? null : kind.objective;
  const objective = usedObjective(kind.objective, data);
  return isMet || objective === 'any' || kind.isStrict ? objective : FALLBACK;
}

function dislikedAmong(
  ids: ReadonlySet<string>,
  isDisliked: ReadonlySet<number>,
  recommender: Recommender,
  wanted: Pick<Search, 'allow' | 'exclude'>,
): number[] {
  const isAllowed = allows(recommender, wanted);
  const items = Array.from(ids, (id) => recommender.catalog.indexOf(id));
  return items.filter((item) => isDisliked.has(item) && isAllowed(item));
}

/** Whether any item, or one of the given ones, meets the filter, whatever else leaves it out. */
function someAllowed(
  given: ReadonlySet<string> | null,
  { allow }: Pick<ListData, 'allow'>,
  recommender: Recommender,
): boolean {
  if (allow === null) return true;
  if (given === null) return haveCommon(allow, recommender.listed());
  const isAllowed = allows(recommender, { allow, exclude: NOTHING });
  return Array.from(given).some((id) => isAllowed(recommender.catalog.indexOf(id)));
}
