// The recommendation call, at the project's own address and at the base address.
import { Type } from 'typebox';
import { MAX_FILTER_LENGTH, MAX_FILTER_LIST } from '../../domain/filter.ts';
import { DEFAULT_TOUCH_DAYS, MAX_TOUCH_DAYS, OBJECTIVES } from '../../domain/objective.ts';
import { AppError } from '../../errors.ts';
import type { RecommendCall } from '../../serving/recommend.ts';
import { defineRoute, jsonText, type Route } from '../route.ts';
import { ClientId, closed, nullable, oneOf, open, ServiceId, TimeMs } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from './projects.ts';

const PATH = '/recommend-items-to-user';

const MAX_SESSION_EVENTS = 200;
const MAX_EXCLUDED_TYPES = 100;
const MAX_CONTEXT_ATTRIBUTES = 50;
const MAX_PARAMS = 100;
const MAX_PARAM_CHARACTERS = 1024;

const SessionEvent = closed({
  item_id: ClientId,
  event_type: Type.Optional(
    Type.Unsafe<string>({
      ...ClientId,
      description: 'Default: the most frequent type besides the target event, else the target event.',
    }),
  ),
  event_value: Type.Optional(Type.Number({ default: 1 })),
  ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'Milliseconds. Default: now.' })),
});

const FilterValue = Type.Union([Type.String({ maxLength: MAX_PARAM_CHARACTERS }), Type.Number(), Type.Boolean()]);

const FilterParams = Type.Record(
  Type.String(),
  Type.Union([FilterValue, Type.Array(FilterValue, { maxItems: MAX_FILTER_LIST })]),
  {
    maxProperties: MAX_PARAMS,
    description: 'Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false or lists of them.',
  },
);

export const RecommendBody = closed({
  user_id: Type.Optional(
    Type.Unsafe<string>({ ...ClientId, description: 'May be left out with session_events: a visitor without an id.' }),
  ),
  attributes: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      maxItems: 100,
      default: [],
      description: 'Item attributes to return; null where an item lacks one.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 10, description: 'Number of items.' })),
  filter_query: Type.Optional(
    Type.Union([Type.String({ maxLength: MAX_FILTER_LENGTH }), Type.Null()], {
      description: "Only items that meet it, e.g. genre = 'Drama' AND price < $max.",
    }),
  ),
  filter_params: Type.Optional(FilterParams),
  objective: Type.Optional(
    oneOf(OBJECTIVES, {
      description:
        'What the list is for. discover: items new to the user; continue: items the user is not done with; again: items the user had before; any: all of them; auto (default): any where the data shows that users come back to items, else discover.',
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
        'true: leave out items the user had a target event with; false: allow them. Default: as the objective says.',
    }),
  ),
  exclude_event_types: Type.Optional(
    Type.Array(ClientId, {
      maxItems: MAX_EXCLUDED_TYPES,
      description: 'Leave out items the user had an event of one of these types with.',
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
      description: 'Answer with this model of the project instead of the deployed.',
    }),
  ),
});

const Warnings = Type.Array(open({ code: Type.String(), message: Type.String() }), {
  description:
    'What looks wrong about the request: UNKNOWN_CONTEXT, UNKNOWN_ATTRIBUTE, WRONG_TYPE, FILTER_MATCHES_NOTHING.',
});

const RecommendAnswer = open({
  user_id: nullable(ClientId),
  limit: Type.Integer(),
  attributes: Type.Array(Type.String()),
  filter_query: nullable(Type.String()),
  objective: oneOf(['discover', 'continue', 'again', 'any'], {
    description: 'The objective the list follows: discover where no item meets the one of the call.',
  }),
  model_id: Type.String({ description: 'The model that answered.' }),
  warnings: Type.Optional(Warnings),
  results: Type.Array(
    open({
      item: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        properties: { item_id: { type: 'string' } },
        required: ['item_id'],
        additionalProperties: true,
        description: 'item_id and one key per requested attribute.',
      }),
      filled: Type.Optional(
        Type.Boolean({ description: 'true: does not meet the objective; too few items do, so the list was filled.' }),
      ),
      score: Type.Optional(Type.Number({ description: 'Only with explain.' })),
      reasons: Type.Optional(
        Type.Array(
          open({
            kind: oneOf(['history', 'user-attribute', 'context', 'popularity', 'dislike', 'continue', 'again'], {
              description: 'What led here.',
            }),
            contribution: Type.Number({ description: 'Its part of the score.' }),
            item_id: Type.Optional(
              Type.String({
                description:
                  "With history and dislike: the item of the user's event. With continue and again: the item itself.",
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
    }),
  ),
});

const declaration = {
  method: 'POST',
  scope: PATH,
  tag: 'Recommendation',
  summary: 'Recommend items to a user',
  body: RecommendBody,
  bodyClass: 'medium',
  response: RecommendAnswer,
  errors: [
    'PROJECT_NOT_FOUND',
    'MODEL_NOT_FOUND',
    'NO_MODEL_DEPLOYED',
    'INVALID_FILTER',
    'FILTER_TOO_COSTLY',
    'RATE_LIMITED',
  ],
  examples: {
    request: { user_id: 'u42', attributes: ['title', 'genre'], limit: 2 },
    response: {
      user_id: 'u42',
      limit: 2,
      attributes: ['title', 'genre'],
      filter_query: null,
      objective: 'discover',
      model_id: 'mdl_01k9zq4m2v8h3c7f5x1d0b6n9e',
      results: [
        { item: { item_id: 'i7', title: 'A Winter', genre: ['Drama'] } },
        { item: { item_id: 'i3', title: 'Harbour', genre: null } },
      ],
    },
  },
  quiet: true,
} as const;

export function recommendRoutes(recommend: RecommendCall): Route[] {
  return [
    defineRoute({
      ...declaration,
      path: PATH,
      description:
        "Without project_id the account's default project answers: the first one deployed, or the one set with /update-account.",
      beforeBody: ({ caller }) => recommend.admit(caller.accountId, undefined),
      handler: ({ body, caller, reply, admission }) =>
        jsonText(reply, recommend.answer(caller.accountId, body, admission)),
    }),
    // A project's serving_uri is an address of the call itself, and the base of the same path as at the base address.
    ...['/projects/:project_id' as const, `/projects/:project_id${PATH}` as const].map((path) =>
      defineRoute({
        ...declaration,
        path,
        description: "At the project's serving_uri.",
        params: closed({ project_id: ServiceId }),
        examples: { ...declaration.examples, params: { project_id: EXAMPLE_PROJECT_ID } },
        beforeBody: ({ caller, params }) => recommend.admit(caller.accountId, params.project_id),
        handler: ({ body, params, caller, reply, admission }) => {
          if (body.project_id !== undefined && body.project_id !== params.project_id) {
            throw new AppError('INVALID_REQUEST', 'project_id differs from the project in the path.', {
              errors: [{ pointer: '/project_id', message: 'must be the project of the path' }],
            });
          }
          body.project_id = params.project_id;
          return jsonText(reply, recommend.answer(caller.accountId, body, admission));
        },
      }),
    ),
  ];
}
