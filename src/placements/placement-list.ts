// Combines a placement and a call of it to the requested list:
//
// - A field of the call wins over the default, but filters are joined with AND, exclusions are united and parameters merged.
// - Rules whose time and condition hold add their filters, boosts and pins. A pin whose place or item is taken is dropped:
//   those of the call (or the defaults) come first, then rules in their order.
// - A list is made of its kind, then of the kinds in `fallback`, each as far as room remains. A fallback that needs a user
//   or an item that the call does not name is passed over.

import type { Objective } from '../domain/objective.ts';
import type { PlacementDefinition, PlacementKind, PlacementRule } from '../domain/placement.ts';
import { type TopListKind, windowFor, windowProblem } from '../domain/top-list.ts';
import { type AppError, invalidField } from '../errors.ts';
import type { ListKind, ListRequest } from './list-request.ts';
import { checkPins, type PinRequest } from './pins.ts';

/** Kinds of lists that need a user, or a visitor with a session. */
const PERSONAL_KINDS: readonly PlacementKind[] = ['for_you', 'continue', 'again', 'ranking'];

/** The request of a call to a placement. */
export interface PlacementRequest extends ListRequest {
  readonly item_id?: string;
  readonly item_ids?: readonly string[];
  readonly objective?: Objective;
  readonly window_hours?: number;
  readonly event_type?: string;
}

export interface PlacementList {
  readonly kinds: readonly ListKind[];
  readonly request: ListRequest;
  /** further filters that all must hold */
  readonly filters: readonly string[];
}

/** Rules whose time has come; `holds` decides on their conditions. */
export function activeRules(
  rules: readonly PlacementRule[],
  nowMs: number,
  holds: (onlyIf: string) => boolean,
): PlacementRule[] {
  return rules.filter(
    ({ from_ts, to_ts, only_if }) =>
      (from_ts === undefined || from_ts <= nowMs) &&
      (to_ts === undefined || nowMs < to_ts) &&
      (only_if === undefined || holds(only_if)),
  );
}

/** `kind`: the placement's own. A list of another one, which a variant or the lack of a model chose, takes the hours it can. */
export function checkHours(kind: PlacementKind, { window_hours }: PlacementRequest): void {
  const problem = windowProblem(kind, window_hours);
  if (problem !== null) throw invalidField('/window_hours', problem);
}

/** The fields of both, where `call` wins; null in it means left out, for fields that accept null too. */
export function mergedFields<Defaults extends object, Call extends object>(
  defaults: Defaults,
  call: Call,
): Defaults & Call {
  const given = Object.entries(call).filter(([, value]) => value !== undefined && value !== null);
  return { ...defaults, ...Object.fromEntries(given) } as Defaults & Call;
}

/** `kind`: what the list is made of first, where that is not the placement's own kind. */
export function placementList(
  definition: PlacementDefinition,
  call: PlacementRequest,
  rules: readonly PlacementRule[],
  kind = definition.kind,
): PlacementList {
  const { defaults, fallback } = definition;
  const merged: PlacementRequest = mergedFields(defaults, call);
  const { objective, item_id, item_ids, window_hours, event_type, filter_query, ...fields } = merged;
  const itemIds = item_ids ?? (item_id === undefined ? [] : [item_id]);
  const about: About = {
    objective,
    windowHours: window_hours ?? null,
    eventType: event_type ?? null,
    itemIds,
    hasUser: Boolean(call.user_id) || call.session_events !== undefined,
  };
  if (call.pins) checkPins(call.pins);
  const main = kindOf(kind, about);
  if (main === null) throw needsMore(kind, about);
  const request: ListRequest = {
    ...(kind === 'ranking' && { limit: itemIds.length }),
    ...fields,
    filter_query: call.filter_query ?? null,
    filter_params: { ...defaults.filter_params, ...call.filter_params },
    exclude_item_ids: [...(defaults.exclude_item_ids ?? []), ...(call.exclude_item_ids ?? [])],
    exclude_event_types: [...(defaults.exclude_event_types ?? []), ...(call.exclude_event_types ?? [])],
    boosts: [...(fields.boosts ?? []), ...rules.flatMap(({ boosts = [] }) => boosts)],
    pins: withoutClashes([...(fields.pins ?? []), ...rules.flatMap(({ pins = [] }) => pins)]),
  };
  const others = fallback.map((other) => kindOf(other, about)).filter((other) => other !== null);
  const filters = [defaults.filter_query, ...rules.map((rule) => rule.filter_query)];
  return {
    kinds: [main, ...others],
    request,
    filters: filters.filter((text) => typeof text === 'string' && text !== '') as string[],
  };
}

interface About {
  readonly objective: Objective | undefined;
  readonly windowHours: number | null;
  readonly eventType: string | null;
  readonly itemIds: readonly string[];
  /** whether the call names a user, or a visitor by the events of the session */
  readonly hasUser: boolean;
}

/** Returns null if the kind needs a user or items and the call has none. */
function kindOf(kind: PlacementKind, about: About): ListKind | null {
  const { objective = 'auto', itemIds, windowHours, eventType } = about;
  const own = objective === 'auto' ? {} : { objective };
  if (lacksUser(kind, about)) return null;
  switch (kind) {
    case 'for_you':
      return { kind: 'user', objective };
    case 'continue':
    case 'again':
      return { kind: 'user', objective: kind, isStrict: true };
    case 'similar':
    case 'together':
    case 'next':
      return itemIds.length === 0 ? null : { kind: 'related', itemIds, relation: kind, ...own };
    case 'popular':
    case 'trending':
    case 'newest':
      return topKind(kind, { objective, windowHours, eventType });
    case 'ranking':
      return itemIds.length === 0 ? null : { kind: 'given', itemIds, ...own };
    default:
      return kind satisfies never;
  }
}

export function topKind(
  by: TopListKind,
  { objective = 'auto', windowHours, eventType }: Pick<About, 'objective' | 'windowHours' | 'eventType'>,
) {
  const own = objective === 'auto' ? {} : { objective };
  return { kind: 'top', by, windowHours: windowFor(by, windowHours), eventType, ...own } as const;
}

function withoutClashes(pins: readonly PinRequest[]): PinRequest[] {
  const positions = new Set<number>();
  const items = new Set<string>();
  return pins.filter(({ position, item_id }) => {
    if (positions.has(position) || items.has(item_id)) return false;
    positions.add(position);
    items.add(item_id);
    return true;
  });
}

function lacksUser(kind: PlacementKind, { hasUser }: About): boolean {
  return !hasUser && PERSONAL_KINDS.includes(kind);
}

function needsMore(kind: PlacementKind, about: About): AppError {
  const which = `is missing: a placement of kind ${kind}`;
  if (lacksUser(kind, about)) {
    return invalidField(
      '/user_id',
      `${which} needs it, or session_events of a visitor without an id (they may be empty)`,
    );
  }
  return kind === 'ranking'
    ? invalidField('/item_ids', `${which} needs the items to put in order`)
    : invalidField('/item_id', `${which} starts from an item, or from several in item_ids`);
}
