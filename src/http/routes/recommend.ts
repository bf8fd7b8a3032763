// The recommendation call, at the project's own address and at the base address.
import { Type } from 'typebox';
import { MAX_FILTER_LENGTH } from '../../domain/filter.ts';
import { AppError } from '../../errors.ts';
import type { RecommendCall } from '../../serving/recommend.ts';
import { defineRoute, jsonText, type Route } from '../route.ts';
import { ClientId, closed, nullable, oneOf, open, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from './projects.ts';

const PATH = '/recommend-items-to-user';

export const RecommendBody = closed({
  user_id: ClientId,
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
      description: "Only items that meet it, e.g. genre = 'Drama' AND price < 20.",
    }),
  ),
  exclude_seen: Type.Optional(
    Type.Boolean({ description: 'Leave out items the user had a target event with. Default: as the data suggests.' }),
  ),
  explain: Type.Optional(Type.Boolean({ description: 'Add score and reasons to each result.' })),
  project_id: Type.Optional(
    Type.Unsafe<string>({
      ...ServiceId,
      description: 'Needed at the base address when several projects are deployed.',
    }),
  ),
  model_id: Type.Optional(
    Type.Unsafe<string>({
      ...ServiceId,
      description: 'Answer with this model of the project instead of the deployed.',
    }),
  ),
});

const RecommendAnswer = open({
  user_id: ClientId,
  limit: Type.Integer(),
  attributes: Type.Array(Type.String()),
  filter_query: nullable(Type.String()),
  results: Type.Array(
    open({
      item: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        properties: { item_id: { type: 'string' } },
        required: ['item_id'],
        additionalProperties: true,
        description: 'item_id and one key per requested attribute.',
      }),
      score: Type.Optional(Type.Number({ description: 'Only with explain.' })),
      reasons: Type.Optional(
        Type.Array(
          open({
            kind: oneOf(['history', 'user-attribute', 'popularity'], { description: 'What led here.' }),
            contribution: Type.Number({ description: 'Its part of the score.' }),
            item_id: Type.Optional(Type.String({ description: "With history: the item of the user's event." })),
            attribute: Type.Optional(Type.String({ description: 'With user-attribute: which one.' })),
            value: Type.Optional(Type.String({ description: 'With user-attribute: its value.' })),
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
      errors: [...declaration.errors, 'PROJECT_AMBIGUOUS'],
      path: PATH,
      description: 'Without project_id it answers for the only deployed project of the account.',
      handler: ({ body, caller, reply }) => jsonText(reply, recommend.answer(caller.accountId, body)),
    }),
    defineRoute({
      ...declaration,
      path: `/projects/:project_id${PATH}`,
      description: "At the project's serving_uri.",
      params: closed({ project_id: ServiceId }),
      examples: { ...declaration.examples, params: { project_id: EXAMPLE_PROJECT_ID } },
      handler: ({ body, params, caller, reply }) => {
        if (body.project_id !== undefined && body.project_id !== params.project_id) {
          throw new AppError('INVALID_REQUEST', 'project_id differs from the project in the path.', {
            errors: [{ pointer: '/project_id', message: 'must be the project of the path' }],
          });
        }
        body.project_id = params.project_id;
        return jsonText(reply, recommend.answer(caller.accountId, body));
      },
    }),
  ];
}
