// Top lists: what is popular, trending or new, without a model.
import { Type } from 'typebox';
import { MAX_TREND_HOURS, MAX_WINDOW_HOURS, TOP_LISTS, windowProblem } from '../../domain/top-list.ts';
import { invalidField } from '../../errors.ts';
import type { TopCall, TopItemsRequest } from '../../serving/top-call.ts';
import type { Store } from '../../store/store.ts';
import { RecentProjects } from '../find-project.ts';
import { defineRoute, jsonText, type Route } from '../route.ts';
import { ClientId, closed, nullable, oneOf } from '../schemas/common.ts';
import { openAs } from '../schemas/named.ts';
import {
  EXAMPLE_RECOMMENDATION_ID,
  ListFields,
  NextListPage,
  ObjectiveOfOthers,
  RecommendationId,
  Result,
  UsedObjectiveOfOthers,
  UserListFields,
  Warnings,
} from '../schemas/recommend.ts';

const { explain, model_id, ...FIELDS } = ListFields;

export interface TopItemParts {
  store: Pick<Store, 'accounts' | 'projects'>;
  top: TopCall;
}

export function topItemRoutes({ store, top }: TopItemParts): Route[] {
  const projects = new RecentProjects(store);
  return [
    defineRoute({
      method: 'POST',
      path: '/list-top-items',
      tag: 'Recommendation',
      summary: 'List popular, trending or new items',
      description:
        'From counts that are kept as events arrive: current within a minute on every node, without training. `popular`: most events in the window. `trending`: events rise above what was expected; items whose rise is not clear are not listed. `newest`: the items stored last. Only items with a record are listed, unless the dataset has none. The list has fewer items than `limit` if no more are known; a filter chooses among the best 20,000.',
      body: closed({
        by: oneOf(TOP_LISTS, { description: 'What the list is ordered by.' }),
        window_hours: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: MAX_WINDOW_HOURS,
            description: `The last hours that count. Default: 168 for popular, 24 for trending (at most ${MAX_TREND_HOURS}), all time for newest. Up to 2 hours are counted to the minute; longer windows begin at the nearest full hour.`,
          }),
        ),
        event_type: Type.Optional(
          Type.Unsafe<string>({ ...ClientId, description: 'Count only events of this type. Not for newest.' }),
        ),
        user_id: Type.Optional(
          Type.Unsafe<string>({
            ...ClientId,
            description: 'Who sees the list: for filters with user., and to leave out what the user dislikes.',
          }),
        ),
        objective: ObjectiveOfOthers,
        exclude_seen: UserListFields.exclude_seen,
        ...FIELDS,
      }),
      bodyClass: 'medium',
      response: openAs('TopItems', {
        by: oneOf(TOP_LISTS),
        window_hours: nullable(Type.Integer()),
        event_type: nullable(Type.String()),
        user_id: nullable(ClientId),
        limit: Type.Integer(),
        attributes: Type.Array(Type.String()),
        filter_query: nullable(Type.String()),
        objective: UsedObjectiveOfOthers,
        model_id: Type.Null({ description: 'No model is needed.' }),
        recommendation_id: RecommendationId,
        next_page_token: NextListPage,
        warnings: Type.Optional(Warnings),
        results: Type.Array(Result, {
          description:
            '`score`: events (popular), how many times as many as expected at least (trending), or when the item was first stored, in milliseconds, 0 if that is not known (newest).',
        }),
      }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_FILTER', 'INVALID_PAGE_TOKEN', 'FILTER_TOO_COSTLY', 'ANSWER_TOO_LARGE'],
      examples: {
        request: { by: 'trending', window_hours: 24, event_type: 'purchase', attributes: ['title'], limit: 2 },
        response: {
          by: 'trending',
          window_hours: 24,
          event_type: 'purchase',
          user_id: null,
          limit: 2,
          attributes: ['title'],
          filter_query: null,
          model_id: null,
          recommendation_id: EXAMPLE_RECOMMENDATION_ID,
          next_page_token: null,
          results: [
            { item: { item_id: 'i12', title: 'A Charger' }, score: 6.2 },
            { item: { item_id: 'i3', title: 'A Case' }, score: 1.7 },
          ],
        },
      },
      quiet: true,
      isList: true,
      async handler({ body, caller, reply, runtime }) {
        const { project_id: projectId, ...request } = body as TopItemsRequest & { project_id?: string };
        checkRequest(request);
        const project = await projects.find(caller.accountId, projectId, runtime.monotonicMs());
        return jsonText(reply, top.respond(project, request));
      },
    }),
  ];
}

function checkRequest({ by, window_hours, event_type }: TopItemsRequest): void {
  if (by === 'newest' && event_type !== undefined) {
    throw invalidField('/event_type', 'does not apply to the newest items: they are ordered by when they were stored');
  }
  const problem = windowProblem(by, window_hours);
  if (problem !== null) throw invalidField('/window_hours', problem);
}
