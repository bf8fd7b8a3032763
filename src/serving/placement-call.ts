// A call of a placement, of a definition that is not kept yet (preview), or of several placements that share no item (page):
// deployment → rate → placement → rules that hold → the list.

import type { Runtime } from '../base/runtime.ts';
import type { PlacementDefinition } from '../domain/placement.ts';
import type { Project } from '../domain/project.ts';
import { AppError } from '../errors.ts';
import { checkDefinition } from '../placements/check-definition.ts';
import { DEFAULT_LIMIT } from '../placements/list-request.ts';
import { checkHours, type PlacementRequest } from '../placements/placement-list.ts';
import type { OutcomeStore } from '../store/outcome-store.ts';
import type { ProjectStore } from '../store/registry-store.ts';
import { askPlacement, holdingRules } from './ask-placement.ts';
import type { CallFilters } from './call-filters.ts';
import type { CallRoom } from './call-room.ts';
import { unknownItem } from './call-warnings.ts';
import { type ChosenDefinition, chooseVariant } from './choose-variant.ts';
import { composePage, type ListOnPage, type PagePlacement, type PlacementParts } from './compose-page.ts';
import type { ListResponses } from './list-responses.ts';
import type { LiveDeployment } from './live-deployments.ts';
import type { LivePlacements } from './live-placements.ts';
import { type ModellessParts, modellessList, topKindsOf } from './modelless-placement.ts';
import type { CallParts } from './recommend.ts';
import { type CallWarning, responseText } from './response-text.ts';

export interface PlacementCallParts extends CallParts, ModellessParts {
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly filters: CallFilters;
  readonly placements: LivePlacements;
  readonly outcomes: Pick<OutcomeStore, 'shownInVain'>;
  readonly runtime?: Runtime;
}

export class PlacementCall {
  readonly #parts: PlacementCallParts;

  constructor(parts: PlacementCallParts) {
    this.#parts = parts;
  }

  /** The response as JSON. `charged` is what DeployedModels.admit returned. */
  respond(
    accountId: string,
    {
      project_id,
      placement: name,
      preview: isPreview,
      ...request
    }: PlacementRequest & { project_id?: string; placement: string; preview?: boolean },
    charged: LiveDeployment | null,
  ): Promise<string | Buffer> {
    const asked = { accountId, projectId: project_id, charged };
    return this.#parts.rooms.within(accountId, async (room) => {
      const { head, texts } = await this.#withOrWithoutModel<PlacementParts>(asked, {
        with: (live) => this.#named(live, { name, isPreview }, request, room),
        without: (project) => this.#namedModelless(project, { name, isPreview }, request, room),
      });
      return responseText(head, texts, room);
    });
  }

  /** If no model is deployed, returns what the placements show without one. */
  async #withOrWithoutModel<T>(
    { accountId, projectId, charged }: AskedProject,
    responses: { with(live: LiveDeployment): Promise<T>; without(project: Project): Promise<T> },
  ): Promise<T> {
    try {
      return await responses.with(await this.#parts.deployed.deploymentFor(accountId, projectId, charged));
    } catch (error) {
      const isMissing = error instanceof AppError && error.code === 'NO_MODEL_DEPLOYED';
      const project =
        isMissing && projectId !== undefined ? await this.#parts.projects.get(accountId, projectId) : null;
      if (project === null) throw error;
      return responses.without(project);
    }
  }

  /** Throws if the placement needs a model. */
  async #modelless(project: Project, named: ChosenDefinition, call: PlacementRequest, room: CallRoom) {
    const tops = topKindsOf(named.definition);
    if (tops.length === 0) throw needsModel(named);
    const rules = await holdingRules(this.#parts, project, named.definition, call);
    return modellessList(this.#parts, project, named, { call, rules, tops, room });
  }

  /** Returns the list of a definition that is not stored. */
  async preview(
    accountId: string,
    {
      project_id,
      definition,
      request,
    }: { project_id: string; definition: PlacementDefinition; request: PlacementRequest },
    charged: LiveDeployment | null,
  ): Promise<string | Buffer> {
    checkDefinition(definition);
    checkHours(definition.kind, request);
    const named = { name: null, version: null, definition, experiment: null, isPreview: true };
    const asked = { accountId, projectId: project_id, charged };
    return this.#parts.rooms.within(accountId, async (room) => {
      const { head, texts } = await this.#withOrWithoutModel<PlacementParts>(asked, {
        with: (live) => this.#list(live, named, request, room),
        without: (project) => this.#modelless(project, named, request, room),
      });
      return responseText(head, texts, room);
    });
  }

  /** Returns the lists of several placements. An item in one of them is left out of the later ones. */
  page(
    accountId: string,
    {
      project_id,
      placements,
      preview: isPreview,
      ...shared
    }: PlacementRequest & { project_id?: string; placements: readonly PagePlacement[]; preview?: boolean },
    charged: LiveDeployment | null,
  ): Promise<string | Buffer> {
    const asked = { accountId, projectId: project_id, charged };
    return this.#parts.rooms.within(accountId, async (room) => {
      const listOf = await this.#withOrWithoutModel<ListOnPage>(asked, {
        with: async (live) => (name, request) => this.#named(live, { name, isPreview }, request, room),
        without: async (project) => (name, request) =>
          this.#namedModelless(project, { name, isPreview }, request, room),
      });
      return composePage(listOf, placements, shared, room);
    });
  }

  async #namedModelless(project: Project, called: Called, request: PlacementRequest, room: CallRoom) {
    return this.#modelless(project, await this.#definitionOf(project, called, request), request, room);
  }

  async #named(live: LiveDeployment, called: Called, request: PlacementRequest, room: CallRoom) {
    return this.#list(live, await this.#definitionOf(live.project, called, request), request, room);
  }

  async #definitionOf(
    project: Project,
    { name, isPreview }: Called,
    call: PlacementRequest,
  ): Promise<ChosenDefinition> {
    const { account_id: accountId, project_id: projectId } = project;
    const placement = await this.#parts.placements.get({ accountId, projectId, name });
    checkHours(placement.current.definition.kind, call);
    return { ...chooseVariant(placement, call.user_id), isPreview };
  }

  async #list(
    live: LiveDeployment,
    { name, version, definition, experiment, isPreview }: ChosenDefinition,
    call: PlacementRequest,
    room: CallRoom,
  ) {
    const { kind } = definition;
    const { asked: wanted, rules } = await askPlacement(this.#parts, live.project, definition, call);
    const warnings: CallWarning[] = [];
    const list = { ...wanted, placement: name, experiment, isPreview, room, call };
    const responded = await this.#withModel(live, list, call, warnings);
    const { user_id = null, limit = DEFAULT_LIMIT, attributes = [] } = wanted.request;
    const itemIds = call.item_ids ?? (call.item_id === undefined ? null : [call.item_id]);
    if (kind !== 'ranking') {
      const { catalog } = responded.generator;
      warnings.push(...(itemIds ?? []).filter((id) => catalog.indexOf(id) < 0).map(unknownItem));
    }
    warnings.push(...responded.warnings);
    const head = {
      placement: name,
      version,
      variant: experiment?.variant ?? null,
      kind,
      rules: rules.map((rule) => rule.name),
      user_id,
      ...(itemIds && { item_ids: itemIds }),
      limit,
      attributes,
      filter_query: call.filter_query ?? null,
      ...(responded.objective && { objective: responded.objective }),
      ...(responded.relation && { relation: responded.relation }),
      model_id: responded.generator.modelId,
      recommendation_id: responded.recommendation_id,
      next_page_token: responded.next_page_token,
      ...(warnings.length > 0 && { warnings }),
    };
    return { head, texts: responded.texts, itemIds: responded.itemIds };
  }

  /** If the model that the placement names was deleted, the deployed model is used. */
  async #withModel(
    live: LiveDeployment,
    wanted: Parameters<ListResponses['respond']>[1],
    call: PlacementRequest,
    warnings: CallWarning[],
  ) {
    const { lists } = this.#parts;
    try {
      return await lists.respond(live, wanted);
    } catch (error) {
      const isOwn = wanted.request.model_id !== undefined && call.model_id === undefined;
      if (!(isOwn && error instanceof AppError && error.code === 'MODEL_NOT_FOUND')) throw error;
      warnings.push({ code: 'MODEL_MISSING', message: `${error.message} The deployed model responded.` });
      const { model_id, ...request } = wanted.request;
      return lists.respond(live, { ...wanted, request });
    }
  }
}

interface Called {
  readonly name: string;
  readonly isPreview?: boolean;
}

interface AskedProject {
  readonly accountId: string;
  /** undefined means the account's default project */
  readonly projectId: string | undefined;
  readonly charged: LiveDeployment | null;
}

function needsModel({ name, definition }: ChosenDefinition): AppError {
  const which = name === null ? 'A placement' : `The placement ${name}`;
  return new AppError(
    'NO_MODEL_DEPLOYED',
    `The project has no deployed model. ${which} of kind ${definition.kind} needs one, or a fallback that does not: popular, trending or newest.`,
  );
}
