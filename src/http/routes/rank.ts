// Given items in the order for a user, at the base address and below a project's serving_uri.

import { Type } from 'typebox';
import { MAX_RANKED_ITEMS } from '../../domain/list-limits.ts';
import type { Serving } from '../../serving/start-serving.ts';
import type { Route } from '../route.ts';
import { ClientId, closed, describedAs, nullable } from '../schemas/common.ts';
import { EXAMPLE_MODEL_ID } from '../schemas/examples.ts';
import { openAs } from '../schemas/named.ts';
import {
  EXAMPLE_RECOMMENDATION_ID,
  ListFields,
  ObjectiveOfOthers,
  RecommendationId,
  Result,
  UsedObjectiveOfOthers,
  UserOrVisitor,
  Warnings,
} from '../schemas/recommend.ts';
import { listCallRoutes } from './list-call.ts';

const PATH = '/rank-items-to-user';

const { limit, explain, page_token, ...fields } = ListFields;

const RankBody = closed({
  item_ids: Type.Array(ClientId, { minItems: 1, maxItems: MAX_RANKED_ITEMS, description: 'The items to sort.' }),
  user_id: UserOrVisitor,
  objective: ObjectiveOfOthers,
  ...fields,
  page_token: describedAs(
    page_token,
    'As in other calls. All items are on one page, so any token is INVALID_PAGE_TOKEN.',
  ),
});

const RankResponse = openAs('Ranking', {
  user_id: nullable(ClientId),
  attributes: Type.Array(Type.String()),
  filter_query: nullable(Type.String()),
  objective: UsedObjectiveOfOthers,
  model_id: Type.String({ description: 'The model that made the order.' }),
  recommendation_id: RecommendationId,
  next_page_token: Type.Null({ description: 'All items are on one page.' }),
  warnings: Type.Optional(Warnings),
  results: Type.Array(
    openAs('RankedItem', {
      ...Result.properties,
      score: Type.Optional(
        nullable(
          Type.Number({
            description: 'Larger is better. null: the user dislikes the item, or it is unknown or deleted.',
          }),
        ),
      ),
    }),
  ),
});

export function rankRoutes(serving: Pick<Serving, 'deployed' | 'rank'>): Route[] {
  return listCallRoutes(serving, {
    path: PATH,
    summary: 'Sort items for a user',
    description:
      'Best first, each with its score. Items that the user dislikes come last with a warning, then items that are unknown or deleted, each in the order given. Every item counts once.',
    body: RankBody,
    response: RankResponse,
    examples: {
      request: { user_id: 'u42', item_ids: ['i3', 'i7'], attributes: ['title'] },
      response: {
        user_id: 'u42',
        attributes: ['title'],
        filter_query: null,
        model_id: EXAMPLE_MODEL_ID,
        recommendation_id: EXAMPLE_RECOMMENDATION_ID,
        next_page_token: null,
        results: [
          { item: { item_id: 'i7', title: 'A Winter' }, score: 1.25 },
          { item: { item_id: 'i3', title: 'Harbor' }, score: 0.5 },
        ],
      },
    },
    respond: (...call) => serving.rank.respond(...call),
  });
}
