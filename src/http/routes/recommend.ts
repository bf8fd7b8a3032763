// The recommendation call, at the project's own address and at the base address.

import { Type } from 'typebox';
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
  RecommendationId,
  Result,
  UserListFields,
  UserOrVisitor,
  Warnings,
} from '../schemas/recommend.ts';
import { listCallRoutes } from './list-call.ts';

const PATH = '/recommend-items-to-user';

export const RecommendBody = closed({
  ...ListFields,
  user_id: UserOrVisitor,
  ...UserListFields,
});

const RecommendResponse = openAs('Recommendation', {
  user_id: nullable(ClientId),
  limit: Type.Integer(),
  attributes: Type.Array(Type.String()),
  filter_query: nullable(Type.String()),
  objective: oneOf(['discover', 'continue', 'again', 'any'], {
    description: 'The objective of the list: discover if no item meets the requested one.',
  }),
  model_id: Type.String({ description: 'The model that made the list.' }),
  recommendation_id: RecommendationId,
  next_page_token: NextListPage,
  warnings: Type.Optional(Warnings),
  results: Type.Array(Result),
});

/** A project's serving_uri is an address of the call itself, and also the base of the call's path. */
const AT_PROJECT = "At the project's serving_uri.";

export function recommendRoutes(serving: Pick<Serving, 'deployed' | 'recommend'>): Route[] {
  return listCallRoutes(serving, {
    path: PATH,
    summary: 'Recommend items to a user',
    description:
      "Without `project_id` the account's default project is used: the first one deployed, or the one set with /update-account.",
    body: RecommendBody,
    response: RecommendResponse,
    examples: {
      request: { user_id: 'u42', attributes: ['title', 'genre'], limit: 2 },
      response: {
        user_id: 'u42',
        limit: 2,
        attributes: ['title', 'genre'],
        filter_query: null,
        objective: 'discover',
        model_id: EXAMPLE_MODEL_ID,
        recommendation_id: EXAMPLE_RECOMMENDATION_ID,
        next_page_token: EXAMPLE_PAGE_TOKEN,
        results: [
          { item: { item_id: 'i7', title: 'A Winter', genre: ['Drama'] } },
          { item: { item_id: 'i3', title: 'Harbor', genre: null } },
        ],
      },
    },
    belowProject: { '': AT_PROJECT, [PATH]: AT_PROJECT },
    respond: (...call) => serving.recommend.respond(...call),
  });
}
