// A top list as a call wants it: the counted items through the steps of every list. It needs no model, so a likeness of items is not
// known, and users matter only by what they leave out.

import { DAY_MS } from '../base/durations.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { haveCommon, type ItemBitmap } from '../catalog/item-set.ts';
import { DEFAULT_TOUCH_DAYS, type Objective } from '../domain/objective.ts';
import { objectiveRulesOf, touchStrengths } from '../history/objective-rules.ts';
import { withSession } from '../history/session-events.ts';
import { touchesOf } from '../history/touches.ts';
import type { SignalEvent } from '../history/user-signal.ts';
import { type CountedItems, topSource } from '../placements/item-sources.ts';
import { leftOutOf } from '../placements/left-out.ts';
import { DEFAULT_LIMIT, type ListRequest } from '../placements/list-request.ts';
import { makeList } from '../placements/make-list.ts';
import { sourcesFor } from '../placements/objective-sources.ts';
import type { Boost } from '../scoring/boost.ts';
import type { MadeList } from './list-of-question.ts';
import type { TypeCounts } from './recent-types.ts';

export interface TopListData {
  readonly catalog: Catalog;
  /** the list itself, then those that fill it */
  readonly counted: readonly CountedItems[];
  readonly targetEventType: string;
  /** events of each type; they say what a session event without a type is */
  readonly typeCounts: TypeCounts;
  /** events of the user, newest first */
  readonly stored: readonly SignalEvent[];
  /** ids of items on earlier pages */
  readonly shown: readonly string[];
  /** null allows every listed item */
  readonly allow: ItemBitmap | null;
  readonly boosts: readonly Boost[];
  readonly nowMs: number;
}

export function listOfTop(
  request: ListRequest & { readonly objective?: Objective },
  { catalog, counted, targetEventType, typeCounts, stored, shown, allow, boosts, nowMs }: TopListData,
): Pick<MadeList, 'list' | 'skippedPins' | 'meetsNone'> {
  const numberOf = (id: string): number => catalog.indexOf(id);
  const rules = {
    ...objectiveRulesOf({ targetEventType, typeWeights: {}, repeats: { rate: 0, recommendSeen: false } }),
    touchStrengths: touchStrengths(typeCounts, targetEventType),
  };
  const history = withSession(stored, request.session_events ?? [], { rules, nowMs, itemOf: numberOf });
  const excludedTypes = new Set(request.exclude_event_types);
  const itemOf = ({ item, item_id }: SignalEvent): number => item ?? numberOf(item_id);
  const touches = touchesOf(history, { rules, nowMs, itemOf, excludedTypes });
  const excludeSeen = request.exclude_seen ?? null;
  // Items that only events mention are listed as long as no item has a record.
  const listed = catalog.stored().count > 0 ? catalog.stored() : catalog.undeleted();
  const { exclude_item_ids = [], pins = [] } = request;
  const named = { exclude_item_ids, pins, shown };
  const { skipped, ...left } = leftOutOf(named, { catalog, listed, allow, touches, excludeSeen });
  const touched = { touches, nowMs, touchMs: (request.touch_days ?? DEFAULT_TOUCH_DAYS) * DAY_MS, excludeSeen };
  const sources = counted.flatMap((items) =>
    sourcesFor(request.objective, touched, topSource({ catalog, listed: () => listed }, items)),
  );
  const list = makeList({
    catalog,
    listed,
    allow,
    boosts,
    ...left,
    sources,
    limit: request.limit ?? DEFAULT_LIMIT,
    diversity: typeof request.diversity === 'object' ? request.diversity : null,
    isTired: null,
    tiredCount: 0,
    likeness: () => 0,
    explain: false,
  });
  const meetsNone = list.items.length === 0 && allow !== null && !haveCommon(allow, listed);
  return { list, skippedPins: skipped, meetsNone };
}
