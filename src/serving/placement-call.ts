// A call of a placement, of a definition that is not kept yet (preview), or of several placements that share no item (page):
// deployment → rate → placement → rules that hold → the list.
import { answerTooLarge, MAX_ANSWER_BYTES } from '../domain/answer-limit.ts';
import type { PlacementDefinition, PlacementRule } from '../domain/placement.ts';
import { AppError } from '../errors.ts';
import { checkDefinition } from '../placements/check-definition.ts';
import { DEFAULT_LIMIT } from '../placements/list-request.ts';
import { activeRules, type PlacementRequest, placementList } from '../placements/placement-list.ts';
import type { PlacementName } from '../store/placement-store.ts';
import type { ProjectStore } from '../store/registry-store.ts';
import type { AnswerRoom } from './answer-room.ts';
import { answerText, type CallWarning } from './answer-text.ts';
import type { CallFilters } from './call-filters.ts';
import { unknownItem } from './call-warnings.ts';
import type { ListAnswers } from './list-answers.ts';
import type { LiveDeployment } from './live-deployments.ts';
import type { LivePlacements } from './live-placements.ts';
import { type ModellessParts, modellessAnswer, topListOf } from './modelless-placement.ts';
import type { CallParts } from './recommend.ts';

export interface PlacementCallParts extends CallParts, ModellessParts {
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly filters: CallFilters;
  readonly placements: LivePlacements;
}

/** Kinds that answer for somebody: a user, or a visitor by the session. */
const PERSONAL_KINDS: readonly string[] = ['for_you', 'continue', 'again', 'ranking'];

export class PlacementCall {
  readonly #parts: PlacementCallParts;

  constructor(parts: PlacementCallParts) {
    this.#parts = parts;
  }

  /** The answer as JSON. `charged` is what DeployedModels.admit returned. */
  answer(
    accountId: string,
    { project_id, placement, ...request }: PlacementRequest & { project_id?: string; placement: string },
    charged: LiveDeployment | null,
  ): Promise<string | Buffer> {
    return this.#parts.rooms.within(accountId, async (room) => {
      try {
        const live = await this.#parts.deployed.deploymentFor(accountId, project_id, charged);
        const { head, texts } = await this.#named(live, placement, request, room);
        return await answerText(head, texts, room);
      } catch (error) {
        if (project_id === undefined || !(error instanceof AppError && error.code === 'NO_MODEL_DEPLOYED')) throw error;
        const answer = await this.#withoutModel({ accountId, projectId: project_id, name: placement }, request);
        if (answer === null) throw error;
        return JSON.stringify(answer);
      }
    });
  }

  /** null: the placement needs a model. */
  async #withoutModel(name: PlacementName, call: PlacementRequest): Promise<object | null> {
    const project = await this.#parts.projects.get(name.accountId, name.projectId);
    if (project === null) return null;
    const { current } = await this.#parts.placements.get(name);
    const by = topListOf(current.definition);
    if (by === null) return null;
    const rules = await this.#rulesThatHold({ project }, current.definition, call);
    return modellessAnswer(this.#parts, project, { ...current, name: name.name }, { call, rules, by });
  }

  /** The same for a definition that is not kept. */
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
    return this.#parts.rooms.within(accountId, async (room) => {
      const live = await this.#parts.deployed.deploymentFor(accountId, project_id, charged);
      const { head, texts } = await this.#list(live, { name: null, version: null, definition }, request, room);
      return answerText(head, texts, room);
    });
  }

  /** Several placements; what one shows no later one shows. */
  page(
    accountId: string,
    {
      project_id,
      placements,
      ...shared
    }: PlacementRequest & { project_id?: string; placements: readonly PagePlacement[] },
    charged: LiveDeployment | null,
  ): Promise<string> {
    return this.#parts.rooms.within(accountId, async (room) => {
      const live = await this.#parts.deployed.deploymentFor(accountId, project_id, charged);
      const shown: string[] = [];
      const lists: (string | Buffer)[] = [];
      let bytes = 0;
      for (const { name, ...own } of placements) {
        const exclude_item_ids = [...(shared.exclude_item_ids ?? []), ...(own.exclude_item_ids ?? []), ...shown];
        const request = { ...shared, ...own, exclude_item_ids };
        const { head, texts, itemIds } = await this.#named(live, name, request, room);
        shown.push(...itemIds);
        const text = await answerText(head, texts, room);
        bytes += Buffer.byteLength(text);
        if (bytes > MAX_ANSWER_BYTES) throw answerTooLarge();
        lists.push(text);
      }
      return `{"placements":[${lists.join()}]}`;
    });
  }

  async #named(live: LiveDeployment, name: string, request: PlacementRequest, room: AnswerRoom) {
    const { account_id: accountId, project_id: projectId } = live.project;
    const { current } = await this.#parts.placements.get({ accountId, projectId, name });
    const { version, definition } = current;
    return this.#list(live, { name, version, definition }, request, room);
  }

  async #list(
    live: LiveDeployment,
    { name, version, definition }: NamedDefinition,
    call: PlacementRequest,
    room: AnswerRoom,
  ) {
    const { kind } = definition;
    if (PERSONAL_KINDS.includes(kind) && !call.user_id && call.session_events === undefined) throw unknownUser(kind);
    const rules = await this.#rulesThatHold(live, definition, call);
    const wanted = placementList(definition, call, rules);
    const warnings: CallWarning[] = [];
    const answered = await this.#withModel(live, { ...wanted, placement: name, room }, call, warnings);
    const { user_id = null, limit = DEFAULT_LIMIT, attributes = [] } = wanted.request;
    const itemIds = call.item_ids ?? (call.item_id === undefined ? null : [call.item_id]);
    for (const id of itemIds ?? []) if (answered.generator.catalog.indexOf(id) < 0) warnings.push(unknownItem(id));
    warnings.push(...answered.warnings);
    const head = {
      ...{ placement: name, version, variant: null, kind, rules: rules.map((rule) => rule.name) },
      ...{ user_id, ...(itemIds && { item_ids: itemIds }), limit, attributes, filter_query: call.filter_query ?? null },
      ...(answered.objective && { objective: answered.objective }),
      ...(answered.relation && { relation: answered.relation }),
      model_id: answered.generator.modelId,
      ...{ recommendation_id: answered.recommendation_id, next_page_token: answered.next_page_token },
      ...(warnings.length > 0 && { warnings }),
    };
    return { head, texts: answered.texts, itemIds: answered.itemIds };
  }

  /** A model that the placement names and that is gone must not take the list along. */
  async #withModel(
    live: LiveDeployment,
    wanted: Parameters<ListAnswers['answer']>[1],
    call: PlacementRequest,
    warnings: CallWarning[],
  ) {
    const { lists } = this.#parts;
    try {
      return await lists.answer(live, wanted);
    } catch (error) {
      const isOwn = wanted.request.model_id !== undefined && call.model_id === undefined;
      if (!(isOwn && error instanceof AppError && error.code === 'MODEL_NOT_FOUND')) throw error;
      warnings.push({ code: 'MODEL_MISSING', message: `${error.message} The deployed model responded.` });
      const { model_id, ...request } = wanted.request;
      return lists.answer(live, { ...wanted, request });
    }
  }

  async #rulesThatHold(
    { project }: Pick<LiveDeployment, 'project'>,
    { rules, defaults }: PlacementDefinition,
    call: PlacementRequest,
  ): Promise<PlacementRule[]> {
    if (rules.length === 0) return [];
    const { filters } = this.#parts;
    const texts = [...new Set(rules.flatMap(({ only_if }) => only_if ?? []))];
    const folded = await filters.foldAll(
      texts.map((text) => filters.compile(text)),
      {
        ...{ project, user_id: call.user_id ?? null, context: call.context ?? defaults.context },
        filter_params: { ...defaults.filter_params, ...call.filter_params },
      },
    );
    const holding = new Set(
      texts.filter((_, n) => {
        const { filter } = folded[n];
        return filter.kind === 'constant' && filter.holds;
      }),
    );
    return activeRules(rules, Date.now(), (onlyIf) => holding.has(onlyIf));
  }
}

export interface PagePlacement extends PlacementRequest {
  readonly name: string;
}

interface NamedDefinition {
  readonly name: string | null;
  readonly version: number | null;
  readonly definition: PlacementDefinition;
}

function unknownUser(kind: string): AppError {
  const message = `is missing: a placement of kind ${kind} needs it, or session_events of a visitor without an id (they may be empty)`;
  return new AppError('INVALID_REQUEST', `user_id ${message}.`, { errors: [{ pointer: '/user_id', message }] });
}
