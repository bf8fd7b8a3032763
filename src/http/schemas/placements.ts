// Placements in requests and responses.
import { Type } from 'typebox';
import { MAX_FILTER_LENGTH } from '../../domain/filter/filter.ts';
import { MAX_RANKED_ITEMS } from '../../domain/list-limits.ts';
import { FALLBACK_KINDS, MAX_RULES, PLACEMENT_KINDS, PLACEMENT_NAME_PATTERN } from '../../domain/placement.ts';
import { MAX_WINDOW_HOURS } from '../../domain/top-list.ts';
import { ClientId, Name, nullable, oneOf, ServiceId, TimeMs } from './common.ts';
import { closedAs, openAs } from './named.ts';
import { Boosts, ListFields, Pins, UserListFields, UserOrVisitor } from './recommend.ts';

export const PlacementName = Type.String({
  pattern: PLACEMENT_NAME_PATTERN,
  description: 'Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.',
});

const TopListFields = {
  window_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_WINDOW_HOURS,
      description: 'Popular and trending: how far back to count.',
    }),
  ),
  event_type: Type.Optional(
    Type.Unsafe<string>({ ...ClientId, description: 'Popular and trending: which events to count. Left out: all.' }),
  ),
};

const { page_token, session_events, explain, project_id, ...defaults } = ListFields;

export const PlacementKindField = oneOf(PLACEMENT_KINDS, {
  description:
    'for_you: for the user; similar, together, next: instead of, with and after an item; popular, trending, newest: for everybody; continue, again: what the user is not done with or had before; ranking: the given items, sorted for the user.',
});

const RULE = {
  name: Name,
  from_ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'Active from this time on.' })),
  to_ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'Active until this time.' })),
  only_if: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_FILTER_LENGTH,
      description: "A filter over the user and the context, e.g. user.country = 'DE' AND context.device = 'phone'.",
    }),
  ),
  filter_query: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_FILTER_LENGTH, description: 'Only items that also meet this.' }),
  ),
  boosts: Type.Optional(Boosts),
  pins: Type.Optional(Pins),
};

const Fatigue = nullable(
  closedAs('Fatigue', {
    after: Type.Integer({ minimum: 1, maximum: 1000, description: 'Shown this often without an event.' }),
    days: Type.Integer({ minimum: 1, maximum: 31, description: 'Within this many days.' }),
  }),
);

/** Fields of calls for which a placement can have defaults. */
export const DefaultFields = { ...defaults, ...UserListFields, ...TopListFields };

const DEFAULTS = { description: 'Fields of every call of the placement that the call itself does not give.' };
const RULES = { description: 'Changes that apply for a time or for some users.' };

/** The fields of a definition that clients write. */
export const DefinitionFields = {
  kind: PlacementKindField,
  defaults: Type.Optional(closedAs('PlacementDefaults', DefaultFields, DEFAULTS)),
  rules: Type.Optional(Type.Array(closedAs('PlacementRule', RULE), { maxItems: MAX_RULES, ...RULES })),
  fallback: Type.Optional(
    Type.Array(oneOf(FALLBACK_KINDS), {
      maxItems: FALLBACK_KINDS.length,
      description: 'Kinds that fill the list, in this order, if fewer than limit items remain.',
    }),
  ),
  fatigue: Type.Optional(Fatigue),
};

const Change = {
  version: Type.Integer({ description: 'Counts the changes from 1.' }),
  change: oneOf(['created', 'updated', 'rolled_back'], { description: 'What the newest change was.' }),
  changed_ts: TimeMs,
  changed_by: openAs('ChangedBy', {
    key_id: Type.String({ description: 'The API key, or the id of a person who signed in to the console.' }),
    key_name: nullable(Type.String({ description: 'Name of the API key when it was used, or of the person.' })),
    person_id: Type.Optional(Type.String({ description: 'The person, if no API key made the change.' })),
  }),
};

const StoredDefinition = {
  kind: oneOf(PLACEMENT_KINDS),
  defaults: openAs('PlacementDefaults', DefaultFields, DEFAULTS),
  rules: Type.Array(openAs('PlacementRule', RULE), RULES),
  fallback: Type.Array(oneOf(FALLBACK_KINDS)),
  fatigue: Fatigue,
};

export const PlacementResponse = openAs('Placement', {
  project_id: Type.String(),
  name: Type.String(),
  ...StoredDefinition,
  created_ts: TimeMs,
  ...Change,
});

export const PlacementVersionResponse = openAs('PlacementVersion', { ...StoredDefinition, ...Change });

/** Fields of a call to a placement. */
export const PlacementCallFields = {
  user_id: UserOrVisitor,
  item_id: Type.Optional(
    Type.Unsafe<string>({ ...ClientId, description: 'Similar, together and next: the item to start from.' }),
  ),
  item_ids: Type.Optional(
    Type.Array(ClientId, {
      minItems: 1,
      maxItems: MAX_RANKED_ITEMS,
      description: 'Several items to start from, or the items of a ranking.',
    }),
  ),
  ...UserListFields,
  ...TopListFields,
  ...ListFields,
};

export const ProjectAndName = { project_id: ServiceId, name: PlacementName };
