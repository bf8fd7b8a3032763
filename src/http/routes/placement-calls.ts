// Calls of placements: one, several on a page, and a definition that is not kept yet.

import { Type } from 'typebox';
import { PLACEMENT_KINDS } from '../../domain/placement.ts';
import { RELATIONS } from '../../domain/relation.ts';
import type { Serving } from '../../serving/start-serving.ts';
import { defineRoute, jsonText, type Route } from '../route.ts';
import { ClientId, closed, describedAs, nullable, oneOf, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_MODEL_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { closedAs, openAs } from '../schemas/named.ts';
import { DefinitionFields, PlacementCallFields, PlacementName } from '../schemas/placements.ts';
import {
  EXAMPLE_PAGE_TOKEN,
  EXAMPLE_RECOMMENDATION_ID,
  NextListPage,
  RECOMMENDING_ERRORS,
  RecommendationId,
  Result,
  Warnings,
} from '../schemas/recommend.ts';
import { definitionOf } from './placements.ts';
import { ofProject } from './project-of-path.ts';

const CALL = '/call-placement';
const PAGE = '/compose-page';
const MAX_ON_PAGE = 20;

const PlacementList = openAs('PlacementList', {
  placement: nullable(Type.String({ description: 'null in responses of /preview-placement.' })),
  version: nullable(Type.Integer({ description: 'The version of the placement that was used.' })),
  variant: nullable(Type.String({ description: 'The variant of the experiment that runs; null: none runs.' })),
  kind: oneOf(PLACEMENT_KINDS),
  rules: Type.Array(Type.String(), { description: 'Names of the rules that were active.' }),
  user_id: nullable(ClientId),
  item_ids: Type.Optional(Type.Array(ClientId)),
  limit: Type.Integer(),
  attributes: Type.Array(Type.String()),
  filter_query: nullable(Type.String({ description: 'The filter of the call.' })),
  objective: Type.Optional(oneOf(['discover', 'continue', 'again', 'any'])),
  relation: Type.Optional(oneOf(RELATIONS)),
  model_id: nullable(Type.String({ description: 'The model that made the list. null: a top list without one.' })),
  recommendation_id: RecommendationId,
  next_page_token: NextListPage,
  warnings: Type.Optional(Warnings),
  results: Type.Array(Result),
});

const PreviewField = {
  preview: Type.Optional(
    Type.Boolean({
      description:
        'For editors. The response is the same, but neither counts its lists as served nor its user as a visitor of an experiment.',
    }),
  ),
};
const OnPage = closedAs('PagePlacement', { name: PlacementName, ...omit(PlacementCallFields, 'project_id') });
const PageFields = {
  placements: Type.Array(OnPage, {
    minItems: 1,
    maxItems: MAX_ON_PAGE,
    description: 'Placements from the top of the page to its end, each with fields of its own call if it needs any.',
  }),
  ...PlacementCallFields,
  page_token: describedAs(
    PlacementCallFields.page_token,
    'As in an entry of placements. A token is for one list: with several placements, send it in the entry of its placement.',
  ),
  ...PreviewField,
};

const EXAMPLE_LIST = {
  placement: 'home-page',
  version: 3,
  variant: null,
  kind: 'for_you',
  rules: ['summer sale'],
  user_id: 'u42',
  limit: 2,
  attributes: ['title'],
  filter_query: null,
  objective: 'discover',
  model_id: EXAMPLE_MODEL_ID,
  recommendation_id: EXAMPLE_RECOMMENDATION_ID,
  next_page_token: EXAMPLE_PAGE_TOKEN,
  results: [{ item: { item_id: 'i7', title: 'A Winter' } }, { item: { item_id: 'i3', title: 'Harbor' } }],
};

const common = { method: 'POST', tag: 'Placements', bodyClass: 'medium', quiet: true } as const;
const errors = [...RECOMMENDING_ERRORS, 'PLACEMENT_NOT_FOUND'] as const;

const callDeclaration = {
  ...common,
  errors,
  isList: true,
  scope: CALL,
  summary: 'Get the list of a placement',
  response: PlacementList,
};
const pageDeclaration = {
  ...common,
  errors,
  isList: true,
  scope: PAGE,
  summary: 'Get several placements, no item twice',
  response: openAs('PlacementPage', { placements: Type.Array(PlacementList) }),
};
const PAGE_EXAMPLE = {
  request: { user_id: 'u42', placements: [{ name: 'home-page', limit: 2 }, { name: 'trending-now' }] },
  response: { placements: [EXAMPLE_LIST] },
};

export function placementCallRoutes(serving: Pick<Serving, 'deployed' | 'placementCall'>): Route[] {
  const { deployed, placementCall } = serving;
  return [
    defineRoute({
      ...callDeclaration,
      path: CALL,
      description:
        "Fields of the call win over the placement's defaults; filters are joined with AND. Without project_id the account's default project is used.",
      body: closed({ placement: PlacementName, ...PlacementCallFields, ...PreviewField }),
      examples: { request: { placement: 'home-page', user_id: 'u42', limit: 2 }, response: EXAMPLE_LIST },
      beforeBody: ({ caller }) => deployed.admit(caller.accountId, undefined),
      handler: ({ body, caller, reply, admission }) =>
        jsonText(reply, placementCall.respond(caller.accountId, body, admission)),
    }),
    defineRoute({
      ...callDeclaration,
      path: '/projects/:project_id/placements/:name',
      description: "Below the project's serving_uri.",
      params: closed({ project_id: ServiceId, name: PlacementName }),
      body: closed({ ...PlacementCallFields, ...PreviewField }),
      examples: {
        params: { project_id: EXAMPLE_PROJECT_ID, name: 'home-page' },
        request: { user_id: 'u42', limit: 2 },
        response: EXAMPLE_LIST,
      },
      beforeBody: ({ caller, params }) => deployed.admit(caller.accountId, params.project_id),
      handler: ({ body, params, caller, reply, admission }) => {
        const call = { ...ofProject(body, params.project_id), placement: params.name };
        return jsonText(reply, placementCall.respond(caller.accountId, call, admission));
      },
    }),
    defineRoute({
      ...pageDeclaration,
      path: PAGE,
      description:
        'A whole page in one call. An item appears once on the page. Fields next to `placements` apply to all of them.',
      body: closed(PageFields),
      examples: PAGE_EXAMPLE,
      beforeBody: ({ caller }) => deployed.admit(caller.accountId, undefined),
      handler: ({ body, caller, reply, admission }) =>
        jsonText(reply, placementCall.page(caller.accountId, body, admission)),
    }),
    defineRoute({
      ...pageDeclaration,
      path: '/projects/:project_id/page',
      description: "Below the project's serving_uri.",
      params: closed({ project_id: ServiceId }),
      body: closed(PageFields),
      examples: { ...PAGE_EXAMPLE, params: { project_id: EXAMPLE_PROJECT_ID } },
      beforeBody: ({ caller, params }) => deployed.admit(caller.accountId, params.project_id),
      handler: ({ body, params, caller, reply, admission }) =>
        jsonText(reply, placementCall.page(caller.accountId, ofProject(body, params.project_id), admission)),
    }),
    defineRoute({
      ...common,
      errors: RECOMMENDING_ERRORS,
      path: '/preview-placement',
      summary: 'Preview a placement before it is saved',
      description: 'For editors: what a definition would show. Nothing is stored.',
      body: closed({
        project_id: ServiceId,
        definition: closed(DefinitionFields),
        request: Type.Optional(closed(omit(PlacementCallFields, 'project_id'))),
      }),
      response: PlacementList,
      examples: {
        request: {
          project_id: EXAMPLE_PROJECT_ID,
          definition: { kind: 'for_you', defaults: { diversity: { max_per: { category: 2 } } } },
          request: { user_id: 'u42', limit: 2 },
        },
        response: { ...EXAMPLE_LIST, placement: null, version: null, rules: [] },
      },
      beforeBody: ({ caller }) => deployed.admit(caller.accountId, undefined),
      handler: ({ body: { project_id, definition, request = {} }, caller, reply, admission }) => {
        const preview = { project_id, definition: definitionOf(definition), request };
        return jsonText(reply, placementCall.preview(caller.accountId, preview, admission));
      },
    }),
  ];
}

function omit<T extends object, const K extends readonly (keyof T)[]>(fields: T, ...names: K): Omit<T, K[number]> {
  const rest = Object.entries(fields).filter(([name]) => !(names as readonly PropertyKey[]).includes(name));
  return Object.fromEntries(rest) as Omit<T, K[number]>;
}
