// The recommendation call: from a user's id to items. Everything is read as it is now: the deployment from this node's table,
// the user's events and the items' attributes from the store.
//
//   deployment → rate → models (loaded if need be) → catalog follows its dataset → the user's ranking → attributes
import type { FilterParam } from '../domain/fold-filter.ts';
import type { Attributes } from '../domain/record.ts';
import { inTurns } from '../domain/steps.ts';
import { AppError } from '../errors.ts';
import type { RecommendationIds } from '../outcomes/recommendation-id.ts';
import { type AnswerHead, answerText, type CallWarning, explainedText, markFilled } from './answer-text.ts';
import type { CallFilters } from './call-filters.ts';
import type { DeployedModels } from './deployed-models.ts';
import { emptyWarning, filterWarnings } from './filter-warnings.ts';
import type { LiveDeployment } from './live-deployments.ts';
import type { ServableModel } from './model-cache.ts';
import { type RankingModels, type RankingRequest, rankingOf, type UserRankings } from './user-rankings.ts';

/** Of an attribute's name in a warning. */
const SHOWN_NAME_LENGTH = 64;

export interface RecommendRequest extends Partial<Omit<RankingRequest, 'filter'>> {
  project_id?: string;
  attributes?: string[];
  filter_query?: string | null;
  filter_params?: Record<string, FilterParam>;
  model_id?: string;
}

export interface RecommendParts {
  deployed: DeployedModels;
  filters: CallFilters;
  rankings: UserRankings;
  recommendationIds: RecommendationIds;
}

export class RecommendCall {
  readonly #parts: RecommendParts;

  constructor(parts: RecommendParts) {
    this.#parts = parts;
  }

  /** The answer as JSON. `charged` is what DeployedModels.admit returned. */
  async answer(accountId: string, request: RecommendRequest, charged: LiveDeployment | null): Promise<string | Buffer> {
    const { project_id, model_id, attributes = [], filter_query = null, filter_params, ...question } = request;
    const { limit = 10, user_id = null, context } = question;
    if (user_id === null && !question.session_events?.length) throw unknownUser();
    const { rankings, deployed, filters, recommendationIds } = this.#parts;
    const live = await deployed.deploymentFor(accountId, project_id, charged);
    const compiled = filter_query ? filters.compile(filter_query) : null;
    const { project, deployment } = live;
    const generator = await deployed.generatorFor(live, model_id);
    const rankerId = model_id ? null : deployment.ranker_model_id;
    const ranker = rankerId === null ? null : await deployed.model(project, rankerId);
    const models: RankingModels = { project, deployment: deployment.version, generator, ranker };
    const filter = compiled && (await filters.fold(compiled, { project, user_id, filter_params, context }));
    const asked: RankingRequest = { ...question, user_id, limit, filter };
    const { texts } = generator.follower;
    const answer = ({ objective }: Pick<AnswerHead, 'objective'>, results: readonly string[]) => {
      const warnings = context ? contextWarnings(generator, context, compiled?.needs.context) : [];
      if (filter) warnings.push(...filterWarnings(filter.filter, generator.catalog));
      if (filter && results.length === 0) warnings.push(emptyWarning(filter.filter));
      const head = {
        ...{ user_id, limit, attributes, filter_query, objective, model_id: generator.modelId },
        recommendation_id: recommendationIds.make({ ...generator, placement: null, variant: null }),
      };
      return answerText(warnings.length === 0 ? head : { ...head, warnings }, results);
    };
    if (request.explain) {
      const list = await rankings.make(models, asked);
      const items = list.items.map(({ item }) => item);
      const shown = await inTurns(texts.of(items, attributes));
      return answer(
        list,
        shown.map((text, n) => explainedText(text, list.items[n])),
      );
    }
    const ranking = model_id ? rankingOf(await rankings.make(models, asked)) : await rankings.best(models, asked);
    const shown = await inTurns(texts.of(ranking.items, attributes));
    return answer(ranking, markFilled(shown, ranking.meeting));
  }
}

export function contextWarnings(
  { recommender }: ServableModel,
  context: Attributes,
  inFilter: ReadonlySet<string> = new Set(),
): CallWarning[] {
  const unknown = recommender.unknownContext(context).filter((name) => !inFilter.has(name));
  return unknown.map((name) => ({
    code: 'UNKNOWN_CONTEXT',
    message: `context.${name.slice(0, SHOWN_NAME_LENGTH)} was ignored: the events this model was trained on have no such attribute.`,
  }));
}

function unknownUser(): AppError {
  const message = 'is missing: give it, or session_events of a visitor without an id';
  return new AppError('INVALID_REQUEST', `user_id ${message}.`, { errors: [{ pointer: '/user_id', message }] });
}
