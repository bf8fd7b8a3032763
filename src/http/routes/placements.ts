// Placements: created, changed, read, rolled back and deleted. A change holds on every live node when the call returns.

import { type Static, Type } from 'typebox';
import { modelNotFound, placementNotFound, projectNotFound } from '../../domain/not-found.ts';
import {
  MAX_PLACEMENTS,
  type Placement,
  type PlacementDefinition,
  type PlacementVersion,
} from '../../domain/placement.ts';
import { AppError } from '../../errors.ts';
import { checkDefinition } from '../../placements/check-definition.ts';
import type { ModelStore } from '../../store/model-store.ts';
import type { PlacementName, PlacementStore } from '../../store/placement-store.ts';
import type { AccountStore, ProjectStore } from '../../store/registry-store.ts';
import { projectById } from '../find-project.ts';
import { type Call, type Caller, defineRoute, type Route } from '../route.ts';
import { closed, NextPageToken, open, pageQuery, ServiceId, toPageRequest } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import {
  DefinitionFields,
  PlacementResponse,
  PlacementVersionResponse,
  ProjectAndName,
} from '../schemas/placements.ts';
import { changedBy } from './changed-by.ts';

export interface PlacementParts {
  placements: PlacementStore;
  projects: ProjectStore;
  models: Pick<ModelStore, 'get'>;
  accounts: Pick<AccountStore, 'listKeys'>;
  followedEverywhere: (epoch: number) => Promise<void>;
}

/** A larger number does not fit in the column. */
const VERSION = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
/** Changes made at the same time are tried one after the other. Each time, at least one of them is made. */
const MAX_ATTEMPTS = 20;
const EXAMPLE_IDS = { project_id: EXAMPLE_PROJECT_ID, name: 'home-page' };
const EXAMPLE_DEFINITION = {
  kind: 'for_you',
  defaults: { limit: 12, attributes: ['title', 'image'], diversity: { max_per: { category: 3 } } },
  rules: [
    {
      name: 'summer sale',
      from_ts: 1_782_000_000_000,
      to_ts: 1_783_000_000_000,
      only_if: "user.country = 'DE'",
      boosts: [{ filter_query: 'on_sale = true', factor: 2 }],
    },
  ],
  fallback: ['popular'],
  fatigue: null,
};
const EXAMPLE_CHANGE = {
  version: 1,
  change: 'created',
  changed_ts: 1_762_000_000_000,
  changed_by: { key_id: 'key_01k9zq4m2v8h3c7f5x1d0b6n9e', key_name: 'shop' },
};
const EXAMPLE_RESPONSE = {
  ...EXAMPLE_IDS,
  ...EXAMPLE_DEFINITION,
  created_ts: 1_762_000_000_000,
  ...EXAMPLE_CHANGE,
};

const tag = 'Placements';

export function placementRoutes(parts: PlacementParts): Route[] {
  const { placements, projects, models, accounts, followedEverywhere } = parts;
  const nameOf = (caller: Caller, { project_id, name }: { project_id: string; name: string }): PlacementName => ({
    accountId: caller.accountId,
    projectId: project_id,
    name,
  });
  const find = async (name: PlacementName): Promise<Placement> => {
    const placement = await placements.get(name);
    if (placement !== null) return placement;
    await projectById(projects, name.accountId, name.projectId);
    throw placementNotFound(name.projectId, name.name);
  };
  /** The model must exist now. If it is deleted later, the deployed one is used. */
  const requireModel = async ({ accountId }: Caller, projectId: string, modelId: string | undefined): Promise<void> => {
    if (modelId === undefined || (await models.get(accountId, projectId, modelId)) !== null) return;
    await projectById(projects, accountId, projectId);
    throw modelNotFound(projectId, modelId, 'defaults/model_id');
  };
  /** Stores the next version of a placement and waits until all nodes use it. Returns null if it was changed since it was read. */
  const change = async (
    { caller, runtime }: Pick<Call<unknown, unknown, unknown>, 'caller' | 'runtime'>,
    placement: Placement,
    next: Pick<PlacementVersion, 'definition' | 'change'>,
  ): Promise<Static<typeof PlacementResponse> | null> => {
    checkDefinition(next.definition);
    const current: PlacementVersion = {
      ...next,
      version: placement.current.version + 1,
      changed_ts: runtime.nowMs(),
      changed_by: await changedBy(accounts, caller),
    };
    const epoch = await placements.change(nameOf(caller, placement), current);
    if (epoch === null) return null;
    await followedEverywhere(epoch);
    return toResponse({ ...placement, current });
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/create-placement',
      tag,
      summary: 'Create a placement',
      description: 'A named list of the project that can be changed without a release.',
      body: closed({ ...ProjectAndName, ...DefinitionFields }),
      response: PlacementResponse,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'PLACEMENT_EXISTS', 'TOO_MANY_PLACEMENTS', 'INVALID_FILTER'],
      examples: { request: { ...EXAMPLE_IDS, ...EXAMPLE_DEFINITION }, response: EXAMPLE_RESPONSE },
      async handler({ body, caller, runtime }) {
        const { project_id, name, ...fields } = body;
        const definition = definitionOf(fields);
        checkDefinition(definition);
        await requireModel(caller, project_id, definition.defaults.model_id);
        const nowMs = runtime.nowMs();
        const placement: Placement = {
          account_id: caller.accountId,
          project_id,
          name,
          created_ts: nowMs,
          current: {
            version: 1,
            definition,
            change: 'created',
            changed_ts: nowMs,
            changed_by: await changedBy(accounts, caller),
          },
        };
        const created = await placements.create(placement);
        if (created === 'missing-project') throw projectNotFound(project_id);
        if (created === 'name-taken') {
          throw new AppError('PLACEMENT_EXISTS', `Placement ${name} exists already. Change it with /update-placement.`);
        }
        if (created === 'too-many') {
          const detail = `A project has up to ${MAX_PLACEMENTS} placements. Delete one that is not used.`;
          throw new AppError('TOO_MANY_PLACEMENTS', detail);
        }
        await followedEverywhere(created);
        return toResponse(placement);
      },
    }),
    defineRoute({
      method: 'PUT',
      path: '/update-placement',
      tag,
      summary: 'Change a placement',
      description:
        'What is left out stays; `fatigue: null` switches fatigue off. The change is kept as a new version. Every node uses it when the call returns.',
      body: closed({
        ...ProjectAndName,
        ...DefinitionFields,
        kind: Type.Optional(DefinitionFields.kind),
        expected_version: Type.Optional(
          Type.Integer({ ...VERSION, description: 'Refuse the change if another version is active by now.' }),
        ),
      }),
      response: PlacementResponse,
      errors: ['PROJECT_NOT_FOUND', 'MODEL_NOT_FOUND', 'PLACEMENT_NOT_FOUND', 'PLACEMENT_CHANGED', 'INVALID_FILTER'],
      examples: {
        request: { ...EXAMPLE_IDS, rules: [] },
        response: { ...EXAMPLE_RESPONSE, rules: [], version: 2, change: 'updated' },
      },
      async handler({ body, caller, runtime }) {
        const { project_id, name, expected_version, ...fields } = body;
        const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
        const modelId = fields.defaults?.model_id;
        for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
          const placement = await find(nameOf(caller, body));
          const { definition, version } = placement.current;
          if (expected_version !== undefined && expected_version !== version) break;
          if (modelId !== definition.defaults.model_id) await requireModel(caller, project_id, modelId);
          const next = { definition: { ...definition, ...given }, change: 'updated' } as const;
          const changed = await change({ caller, runtime }, placement, next);
          if (changed !== null) return changed;
        }
        throw changedMeanwhile();
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-placement',
      tag,
      summary: 'Read a placement',
      query: closed(ProjectAndName),
      response: PlacementResponse,
      errors: ['PROJECT_NOT_FOUND', 'PLACEMENT_NOT_FOUND'],
      examples: { request: EXAMPLE_IDS, response: EXAMPLE_RESPONSE },
      handler: async ({ query, caller }) => toResponse(await find(nameOf(caller, query))),
    }),
    defineRoute({
      method: 'GET',
      path: '/list-placements',
      tag,
      summary: "List a project's placements, newest first",
      query: closed({ project_id: ServiceId, ...pageQuery }),
      response: open({ placements: Type.Array(PlacementResponse), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: { placements: [EXAMPLE_RESPONSE], next_page_token: null },
      },
      async handler({ query, caller }) {
        await projectById(projects, caller.accountId, query.project_id);
        const page = await placements.list(caller.accountId, query.project_id, toPageRequest(query));
        return { placements: page.entries.map(toResponse), next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-placement-versions',
      tag,
      summary: 'List the versions of a placement, newest first',
      description: 'Who changed it, when, and what it was. The newest 100 are kept.',
      query: closed({ ...ProjectAndName, ...pageQuery }),
      response: open({ versions: Type.Array(PlacementVersionResponse), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'PLACEMENT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: EXAMPLE_IDS,
        response: { versions: [{ ...EXAMPLE_DEFINITION, ...EXAMPLE_CHANGE }], next_page_token: null },
      },
      async handler({ query, caller }) {
        const name = nameOf(caller, query);
        const page = await placements.versions(name, toPageRequest(query));
        await find(name);
        return { versions: page.entries.map(versionResponse), next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/rollback-placement',
      tag,
      summary: 'Roll back a placement to an earlier version',
      description: 'It becomes a new version, so that this can be undone too.',
      body: closed({
        ...ProjectAndName,
        version: Type.Optional(
          Type.Integer({ ...VERSION, description: 'Default: the one before the active version.' }),
        ),
      }),
      response: PlacementResponse,
      errors: ['PROJECT_NOT_FOUND', 'PLACEMENT_NOT_FOUND', 'PLACEMENT_CHANGED', 'INVALID_FILTER'],
      examples: {
        request: { ...EXAMPLE_IDS, version: 1 },
        response: { ...EXAMPLE_RESPONSE, version: 3, change: 'rolled_back' },
      },
      async handler({ body, caller, runtime }) {
        const name = nameOf(caller, body);
        const placement = await find(name);
        if (body.version === undefined && placement.current.version === 1) {
          const message = 'has no earlier version';
          const errors = [{ pointer: '/name', message }];
          throw new AppError('INVALID_REQUEST', `Placement ${body.name} ${message}.`, { errors });
        }
        const wanted = body.version ?? placement.current.version - 1;
        const version = await placements.version(name, wanted);
        if (version === null) {
          const message = 'is not a kept version: see /list-placement-versions';
          const errors = [{ pointer: '/version', message }];
          throw new AppError('INVALID_REQUEST', `version ${wanted} ${message}.`, { errors });
        }
        const next = { definition: version.definition, change: 'rolled_back' } as const;
        const changed = await change({ caller, runtime }, placement, next);
        if (changed === null) throw changedMeanwhile();
        return changed;
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/delete-placement',
      tag,
      summary: 'Delete a placement with its versions',
      body: closed(ProjectAndName),
      response: PlacementResponse,
      errors: ['PROJECT_NOT_FOUND', 'PLACEMENT_NOT_FOUND', 'EXPERIMENT_RUNNING'],
      examples: { request: EXAMPLE_IDS, response: EXAMPLE_RESPONSE },
      async handler({ body, caller }) {
        const name = nameOf(caller, body);
        await find(name);
        const deleted = await placements.delete(name);
        if (deleted === null) throw placementNotFound(body.project_id, body.name);
        if ('runningExperimentId' in deleted) {
          const detail = `Experiment ${deleted.runningExperimentId} runs on placement ${body.name}. Stop it first (/stop-experiment).`;
          throw new AppError('EXPERIMENT_RUNNING', detail);
        }
        await followedEverywhere(deleted.epoch);
        return toResponse(deleted.placement);
      },
    }),
  ];
}

type WrittenDefinition = Pick<PlacementDefinition, 'kind'> & Partial<PlacementDefinition>;

/** Fills in the defaults of fields that were left out. */
export function definitionOf(written: WrittenDefinition): PlacementDefinition {
  const { kind, defaults = {}, rules = [], fallback = [], fatigue = null } = written;
  return { kind, defaults, rules, fallback, fatigue };
}

function toResponse({ project_id, name, created_ts, current }: Placement): Static<typeof PlacementResponse> {
  return { project_id, name, created_ts, ...versionResponse(current) };
}

function versionResponse({ definition, ...change }: PlacementVersion): Static<typeof PlacementVersionResponse> {
  return { ...(definition as unknown as Static<typeof PlacementVersionResponse>), ...change };
}

function changedMeanwhile(): AppError {
  return new AppError('PLACEMENT_CHANGED', 'Somebody else changed the placement. Read it and make your change again.');
}
