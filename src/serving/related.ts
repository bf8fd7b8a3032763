// The call from items to items: deployment → rate → model → catalog follows its dataset → who asks, if anybody → the list.
import type { FilterParam } from '../domain/fold-filter.ts';
import type { Attributes } from '../domain/record.ts';
import type { Relation } from '../domain/relation.ts';
import { inTurns } from '../domain/steps.ts';
import { AppError } from '../errors.ts';
import type { SessionEvent } from '../history/session-events.ts';
import { answerText, type CallWarning, explainedText } from './answer-text.ts';
import { emptyWarning, filterWarnings } from './filter-warnings.ts';
import type { LiveDeployment } from './live-deployments.ts';
import { contextWarnings, type RecommendParts } from './recommend.ts';
import type { RankingModels } from './user-rankings.ts';

export interface RelatedCallRequest {
  item_id?: string;
  item_ids?: string[];
  relation?: Relation;
  user_id?: string | null;
  session_events?: SessionEvent[];
  context?: Attributes;
  limit?: number;
  attributes?: string[];
  exclude_item_ids?: string[];
  filter_query?: string | null;
  filter_params?: Record<string, FilterParam>;
  explain?: boolean;
  project_id?: string;
  model_id?: string;
}

export class RelatedCall {
  readonly #parts: RecommendParts;

  constructor(parts: RecommendParts) {
    this.#parts = parts;
  }

  /** The answer as JSON. `charged` is what DeployedModels.admit returned. */
  async answer(
    accountId: string,
    request: RelatedCallRequest,
    charged: LiveDeployment | null,
  ): Promise<string | Buffer> {
    const { user_id = null, relation = 'similar', limit = 10, attributes = [], filter_query = null, context } = request;
    const itemIds = itemIdsOf(request);
    const { deployed, filters, rankings, recommendationIds } = this.#parts;
    const live = await deployed.deploymentFor(accountId, request.project_id, charged);
    const compiled = filter_query ? filters.compile(filter_query) : null;
    const { project, deployment } = live;
    const generator = await deployed.generatorFor(live, request.model_id);
    const models: RankingModels = { project, deployment: deployment.version, generator, ranker: null };
    const filter = compiled && (await filters.fold(compiled, { ...request, project, user_id }));
    const isPersonal = user_id !== null || (request.session_events?.length ?? 0) > 0;
    const signal = await rankings.signal(models, { ...request, user_id });
    const allow = await rankings.allowed(models, filter);
    const { catalog, recommender } = generator;
    const numbers = itemIds.map((id) => catalog.indexOf(id));
    const list = recommender.related({
      items: [...new Set(numbers.filter((item) => item >= 0))],
      ...{ relation, limit, allow, user: isPersonal ? signal : null, explain: request.explain === true },
      exclude: new Set(request.exclude_item_ids?.map((id) => catalog.indexOf(id))),
    });
    const texts = await inTurns(
      generator.follower.texts.of(
        list.items.map(({ item }) => item),
        attributes,
      ),
    );
    const warnings = itemIds.filter((_, n) => numbers[n] < 0).map(unknownItem);
    if (context) warnings.push(...contextWarnings(generator, context, compiled?.needs.context));
    if (filter) warnings.push(...filterWarnings(filter.filter, catalog));
    if (filter && texts.length === 0) warnings.push(emptyWarning(filter.filter));
    const head = {
      ...{ item_ids: itemIds, relation: list.relation, user_id, limit, attributes, filter_query },
      model_id: generator.modelId,
      recommendation_id: recommendationIds.make({ ...generator, placement: null, variant: null }),
      ...(warnings.length > 0 && { warnings }),
    };
    return answerText(head, request.explain ? texts.map((text, n) => explainedText(text, list.items[n])) : texts);
  }
}

function itemIdsOf({ item_id, item_ids }: RelatedCallRequest): string[] {
  if (item_id !== undefined && item_ids === undefined) return [item_id];
  if (item_ids !== undefined && item_id === undefined) return item_ids;
  const [pointer, message] =
    item_id === undefined
      ? ['/item_id', 'is missing: give it, or item_ids with up to 50 items']
      : ['/item_ids', 'cannot be given together with item_id'];
  throw new AppError('INVALID_REQUEST', `${pointer.slice(1)} ${message}.`, { errors: [{ pointer, message }] });
}

const SHOWN_ID_LENGTH = 64;

function unknownItem(id: string): CallWarning {
  const message = `Item ${id.slice(0, SHOWN_ID_LENGTH)} was ignored: it has neither a record nor events.`;
  return { code: 'UNKNOWN_ITEM', message };
}
