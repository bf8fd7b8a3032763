// The related-items call, at the base address and below a project's serving_uri.

import { Type } from 'typebox';
import { MAX_START_ITEMS } from '../../domain/list-limits.ts';
import { RELATIONS } from '../../domain/relation.ts';
import type { Serving } from '../../serving/start-serving.ts';
import type { Route } from '../route.ts';
import { ClientId, closed, nullable, oneOf } from '../schemas/common.ts';
import { EXAMPLE_MODEL_ID } from '../schemas/examples.ts';
import { openAs } from '../schemas/named.ts';
import {
  EXAMPLE_PAGE_TOKEN,
  EXAMPLE_RECOMMENDATION_ID,
  ListFields,
  NextListPage,
  ObjectiveOfOthers,
  RecommendationId,
  Result,
  UsedObjectiveOfOthers,
  Warnings,
} from '../schemas/recommend.ts';
import { listCallRoutes } from './list-call.ts';

const PATH = '/recommend-items-to-item';

const RelatedBody = closed({
  item_id: Type.Optional(Type.Unsafe<string>({ ...ClientId, description: 'The item to start from, or item_ids.' })),
  item_ids: Type.Optional(
    Type.Array(ClientId, { minItems: 1, maxItems: MAX_START_ITEMS, description: 'Several items to start from.' }),
  ),
  relation: Type.Optional(
    oneOf(RELATIONS, {
      description:
        'similar (default): instead of the item, by taste and attributes; together: with it, in the same basket or visit; next: after it.',
    }),
  ),
  user_id: Type.Optional(
    Type.Unsafe<string>({ ...ClientId, description: "Whose taste orders the list. Left out: nobody's." }),
  ),
  objective: ObjectiveOfOthers,
  ...ListFields,
});

const RelatedResponse = openAs('RelatedItems', {
  item_ids: Type.Array(ClientId),
  relation: oneOf(RELATIONS, {
    description:
      'The relation of the list. If the data does not show the requested one, together replaces next, and similar replaces both.',
  }),
  user_id: nullable(ClientId),
  limit: Type.Integer(),
  attributes: Type.Array(Type.String()),
  filter_query: nullable(Type.String()),
  objective: UsedObjectiveOfOthers,
  model_id: Type.String({ description: 'The model that made the list.' }),
  recommendation_id: RecommendationId,
  next_page_token: NextListPage,
  warnings: Type.Optional(Warnings),
  results: Type.Array(Result),
});

export function relatedRoutes(serving: Pick<Serving, 'deployed' | 'related'>): Route[] {
  return listCallRoutes(serving, {
    path: PATH,
    summary: 'Recommend related items',
    description:
      'Alternatives to an item, items that go with it, or items that come after it. Items without events are matched by their attributes. Unknown items are ignored with a warning.',
    body: RelatedBody,
    response: RelatedResponse,
    examples: {
      request: { item_id: 'i7', relation: 'together', attributes: ['title'], limit: 2 },
      response: {
        item_ids: ['i7'],
        relation: 'together',
        user_id: null,
        limit: 2,
        attributes: ['title'],
        filter_query: null,
        model_id: EXAMPLE_MODEL_ID,
        recommendation_id: EXAMPLE_RECOMMENDATION_ID,
        next_page_token: EXAMPLE_PAGE_TOKEN,
        results: [{ item: { item_id: 'i12', title: 'A Charger' } }, { item: { item_id: 'i3', title: 'A Case' } }],
      },
    },
    respond: (...call) => serving.related.respond(...call),
  });
}
