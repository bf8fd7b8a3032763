// Request and response fields shared by all calls that recommend.
import { Type } from 'typebox';
import { MAX_FILTER_LENGTH, MAX_FILTER_LIST } from '../../domain/filter/filter.ts';
import { MAX_LIST_ITEMS } from '../../domain/list-limits.ts';
import { DEFAULT_TOUCH_DAYS, MAX_TOUCH_DAYS, OBJECTIVES } from '../../domain/objective.ts';
import { MAX_TOKEN_LENGTH } from '../../placements/page-token.ts';
import { CLEAN_TEXT_PATTERN, ClientId, mapOf, nullable, oneOf, ServiceId, TimeMs } from './common.ts';
import { closedAs, openAs } from './named.ts';

const MAX_SESSION_EVENTS = 200;
const MAX_CONTEXT_ATTRIBUTES = 50;
const MAX_PARAMS = 100;
const MAX_PARAM_CHARACTERS = 1024;
const MAX_PARAM_NAME_CHARACTERS = 128;

const SessionEvent = closedAs('SessionEvent', {
  item_id: ClientId,
  event_type: Type.Optional(
    Type.Unsafe<string>({
      ...ClientId,
      description: 'Default: the most frequent type other than the target event, else the target event.',
    }),
  ),
  event_value: Type.Optional(Type.Number({ default: 1 })),
  ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'Milliseconds. Default: now.' })),
});

const FilterValue = Type.Union([Type.String({ maxLength: MAX_PARAM_CHARACTERS }), Type.Number(), Type.Boolean()]);

export const FilterParams = mapOf(
  Type.String({ minLength: 1, maxLength: MAX_PARAM_NAME_CHARACTERS, pattern: CLEAN_TEXT_PATTERN }),
  Type.Union([FilterValue, Type.Array(FilterValue, { maxItems: MAX_FILTER_LIST })]),
  {
    maxProperties: MAX_PARAMS,
    description: 'Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them.',
  },
);

const MAX_EXCLUDED_ITEMS = 1000;
const MAX_EXCLUDED_TYPES = 100;
const MAX_CAPPED_ATTRIBUTES = 5;

export const Boosts = Type.Array(
  closedAs('Boost', {
    filter_query: Type.String({ minLength: 1, maxLength: MAX_FILTER_LENGTH, description: 'Which items.' }),
    factor: Type.Number({
      minimum: 0.01,
      maximum: 100,
      description: 'The chance of matching items is multiplied by this.',
    }),
  }),
  {
    maxItems: 20,
    description:
      'Multiply the chance of matching items: with factor 2 a matching item becomes twice as likely relative to others. An item outside the plain list can come in. Factors of several boosts multiply.',
  },
);

export const Pins = Type.Array(
  closedAs('Pin', {
    position: Type.Integer({ minimum: 1, maximum: MAX_LIST_ITEMS, description: '1 is the first.' }),
    item_id: ClientId,
  }),
  {
    maxItems: 20,
    description:
      'Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out is skipped with a warning.',
  },
);

/** `__proto__` is excluded: no stored attribute has this name, and no Parquet file can have such a column. */
const AttributeName = Type.String({ minLength: 1, maxLength: 256, not: { const: '__proto__' } });

export const DiversityField = Type.Unsafe<number | { max_per: Record<string, number> }>({
  anyOf: [
    { type: 'number', minimum: 0, maximum: 1 },
    closedAs('DiversityLimits', {
      max_per: Type.Unsafe<Record<string, number>>({
        type: 'object',
        propertyNames: ClientId,
        minProperties: 1,
        maxProperties: MAX_CAPPED_ATTRIBUTES,
        additionalProperties: { type: 'integer', minimum: 1, maximum: MAX_LIST_ITEMS },
      }),
    }),
  ],
  description:
    '{"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled with other items. Or a number from 0 to 1: near-duplicates in taste move down.',
});

const REASON_KINDS = [
  'history',
  'user-attribute',
  'context',
  'popularity',
  'dislike',
  'continue',
  'again',
  'related',
  'taste',
  'boost',
] as const;

/** The user or visitor whom the list is for. */
export const UserOrVisitor = Type.Optional(
  Type.Unsafe<string>({ ...ClientId, description: 'Optional with session_events: a visitor without an id.' }),
);

/** Fields of requests for lists that come from the user's history. */
export const UserListFields = {
  objective: Type.Optional(
    oneOf(OBJECTIVES, {
      description:
        'What the list is for. discover: items new to the user; continue: items the user started; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover.',
    }),
  ),
  touch_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_TOUCH_DAYS,
      default: DEFAULT_TOUCH_DAYS,
      description: 'An item counts as new again this many days after an event other than the target event.',
    }),
  ),
  exclude_seen: Type.Optional(
    Type.Boolean({
      description:
        'true: exclude items the user had a target event with; false: allow them. Default: the objective decides.',
    }),
  ),
};

/** The objective of lists that do not come from the user's history, such as related items. */
export const ObjectiveOfOthers = Type.Optional(
  oneOf(OBJECTIVES, {
    description:
      'With a user: which items come first. discover: items new to the user; continue: items the user started; again: items the user had before. The others fill the list, with filled. any, auto (default): all the same.',
  }),
);

/** The objective in the response of such a list. */
export const UsedObjectiveOfOthers = Type.Optional(
  oneOf(['discover', 'continue', 'again', 'any'], { description: 'The objective of the request, if it has one.' }),
);

/** Fields that requests for all kinds of lists share. */
export const ListFields = {
  attributes: Type.Optional(
    Type.Array(AttributeName, {
      maxItems: 100,
      default: [],
      description: 'Item attributes to return; null where an item lacks one.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIST_ITEMS, default: 10, description: 'Number of items.' }),
  ),
  filter_query: Type.Optional(
    Type.Union([Type.String({ maxLength: MAX_FILTER_LENGTH }), Type.Null()], {
      description: "Only items that meet it, e.g. genre = 'Drama' AND price < $max.",
    }),
  ),
  filter_params: Type.Optional(FilterParams),
  exclude_item_ids: Type.Optional(
    Type.Array(ClientId, { maxItems: MAX_EXCLUDED_ITEMS, description: 'Items to exclude.' }),
  ),
  exclude_event_types: Type.Optional(
    Type.Array(ClientId, {
      maxItems: MAX_EXCLUDED_TYPES,
      description: 'Exclude items the user had an event of one of these types with.',
    }),
  ),
  boosts: Type.Optional(Boosts),
  pins: Type.Optional(Pins),
  diversity: Type.Optional(DiversityField),
  page_token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TOKEN_LENGTH,
      description:
        'next_page_token of the page before, with the same request otherwise: the next page of the list. No item comes twice, even while events arrive. limit, attributes, session_events and context may differ.',
    }),
  ),
  session_events: Type.Optional(
    Type.Array(SessionEvent, {
      maxItems: MAX_SESSION_EVENTS,
      description: "Events that are not stored and count as this user's newest, in the order in which they happened.",
    }),
  ),
  context: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      maxProperties: MAX_CONTEXT_ATTRIBUTES,
      description:
        'The circumstances of the call, as events have them in their attributes, e.g. {"device": "phone"}. Attributes the model does not know are ignored with a warning.',
    }),
  ),
  explain: Type.Optional(Type.Boolean({ description: 'Add score and reasons to each result.' })),
  project_id: Type.Optional(
    Type.Unsafe<string>({
      ...ServiceId,
      description: "At the base address. Left out: the account's default project.",
    }),
  ),
  model_id: Type.Optional(
    Type.Unsafe<string>({
      ...ServiceId,
      description: 'Use this model of the project instead of the deployed one.',
    }),
  ),
};

export const RecommendationId = Type.String({
  description: 'Identifies this list. Send it with the events it leads to. Signed by the service.',
});
export const EXAMPLE_RECOMMENDATION_ID =
  'Af8BmP8k2wWdGZ4ckq6-ffP_AZj_JNsFnRmeHJKuvn3z_wGY_yTbBZ0ZnhySrr598wAA.AaMhyHR7q0Zx9h3pQzRkW0mB2yYvTn5d';

export const NextListPage = nullable(
  Type.String({
    description:
      'Send it as page_token for the next page. null: the list ends here, has reached 1,000 items, or would need a token over 64 kB.',
  }),
);
export const EXAMPLE_PAGE_TOKEN = 'aTcKaTM.q0Zx9h3pQzRkW0mB';

export const Warnings = Type.Array(openAs('ListWarning', { code: Type.String(), message: Type.String() }), {
  description:
    'Likely mistakes in the request: UNKNOWN_CONTEXT, UNKNOWN_ITEM, DISLIKED_ITEM, UNKNOWN_ATTRIBUTE, WRONG_TYPE, FILTER_MATCHES_NOTHING, PIN_SKIPPED, RELATION_REPLACED.',
});

export const Result = openAs('RecommendedItem', {
  item: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    properties: { item_id: { type: 'string' } },
    required: ['item_id'],
    additionalProperties: true,
    description: 'item_id and one key per requested attribute.',
  }),
  filled: Type.Optional(
    Type.Boolean({
      description: 'true: the item does not meet the objective; it fills up a list that would be too short.',
    }),
  ),
  pinned: Type.Optional(Type.Boolean({ description: 'true: a pin placed it here.' })),
  score: Type.Optional(Type.Number({ description: 'Only with explain; pinned items have none.' })),
  reasons: Type.Optional(
    Type.Array(
      openAs('Reason', {
        kind: oneOf(REASON_KINDS, {
          description: 'What led to this item.',
        }),
        contribution: Type.Number({ description: 'Its share of the score.' }),
        item_id: Type.Optional(
          Type.String({
            description:
              "With history and dislike: the item of the user's event. With related: the item of the call. With continue and again: the item itself.",
          }),
        ),
        event_type: Type.Optional(Type.String({ description: 'With continue and again: what the user did last.' })),
        ts: Type.Optional(Type.Integer({ description: 'With continue and again: when, in milliseconds.' })),
        count: Type.Optional(
          Type.Integer({ description: 'With continue: the number of such events. With again: of such visits.' }),
        ),
        attribute: Type.Optional(Type.String({ description: 'With user-attribute and context: which one.' })),
        value: Type.Optional(Type.String({ description: 'With user-attribute and context: its value.' })),
      }),
    ),
  ),
});

export const RECOMMENDING_ERRORS = [
  'PROJECT_NOT_FOUND',
  'MODEL_NOT_FOUND',
  'NO_MODEL_DEPLOYED',
  'INVALID_FILTER',
  'FILTER_TOO_COSTLY',
  'INVALID_PAGE_TOKEN',
  'RATE_LIMITED',
] as const;
