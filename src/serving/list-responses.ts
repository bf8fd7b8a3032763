// Makes one list for one call of any route: folds the filters, reads the page token, makes the list, writes its items
// as JSON, and adds what every response has (model, recommendation id, next page, warnings).
import { isIn } from '../catalog/item-set.ts';
import type { UsedObjective } from '../domain/objective.ts';
import type { Project } from '../domain/project.ts';
import type { Relation } from '../domain/relation.ts';
import type { ServedLists } from '../outcomes/served-lists.ts';
import type { ListRequest } from '../placements/list-request.ts';
import type { PageTokens } from '../placements/page-token.ts';
import { checkPins } from '../placements/pins.ts';
import type { CallFilters } from './call-filters.ts';
import type { CallRoom } from './call-room.ts';
import { contextWarnings, dislikedItem, listWarnings, replacedRelation, unrankedItem } from './call-warnings.ts';
import { type ChosenVariant, originOf } from './choose-variant.ts';
import type { DeployedModels } from './deployed-models.ts';
import type { MadeList } from './list-of-question.ts';
import type { ListQuestion } from './list-question.ts';
import type { LiveDeployment } from './live-deployments.ts';
import type { ServableModel } from './model-cache.ts';
import { pagedList } from './paged-list.ts';
import {
  type AskedList,
  type CompiledList,
  compileList,
  foldList,
  NO_FILTERS,
  NOT_FILTERED,
  questionOf,
} from './questions.ts';
import type { RankingModels } from './ranking-models.ts';
import { type CallWarning, explainedText, markedTexts, unscoredText } from './response-text.ts';
import type { UserRankings } from './user-rankings.ts';

export interface ListResponseParts {
  readonly deployed: DeployedModels;
  readonly filters: CallFilters;
  readonly rankings: UserRankings;
  readonly served: ServedLists;
  readonly pageTokens: PageTokens;
}

/** The request for a list, with what its call adds. */
export interface WantedList extends AskedList {
  /** memory of the call for the texts of the items; also counts the list when the response is made */
  readonly room: CallRoom;
  /** null or left out if no placement is used */
  readonly placement?: string | null;
  /** true if the list does not count as served */
  readonly isPreview?: boolean;
  /** the body of a call of a placement; the other fields come from the placement, which may change between pages */
  readonly call?: ListRequest;
  /** the experiment that chose the variant; null if none runs */
  readonly experiment?: ChosenVariant | null;
  /** true to add each result's score */
  readonly showsScores?: boolean;
}

export interface RespondedList {
  readonly objective: UsedObjective | null;
  readonly relation: Relation | null;
  readonly generator: ServableModel;
  readonly itemIds: readonly string[];
  /** given items that are unknown or deleted, without those that the call excludes */
  readonly unranked: readonly string[];
  /** the text of each item's result; with showsScores, then of the given items that the user dislikes */
  readonly texts: readonly string[];
  readonly warnings: CallWarning[];
  readonly recommendation_id: string;
  readonly next_page_token: string | null;
}

export class ListResponses {
  readonly #parts: ListResponseParts;

  constructor(parts: ListResponseParts) {
    this.#parts = parts;
  }

  async respond(live: LiveDeployment, wanted: WantedList): Promise<RespondedList> {
    const { request, placement = null, experiment = null, isPreview } = wanted;
    const { deployed, filters, pageTokens, served } = this.#parts;
    if (request.pins) checkPins(request.pins);
    const compiled = compileList(filters, wanted);
    const models = await deployed.modelsFor(live, request.model_id);
    const { project, generator } = models;
    const folded = compiled === NO_FILTERS ? NOT_FILTERED : await foldList(filters, project, request, compiled);
    const { page_token } = request;
    const shown = page_token ? pageTokens.read(pagedList(project, wanted), page_token) : [];
    const question = questionOf(wanted, folded, shown);
    const { texts, items, made, disliked } = await this.#results(models, question, wanted);
    const itemIds: string[] = [];
    for (let n = 0; n < items.length; n++) itemIds.push(generator.catalog.itemId(items[n]));
    const { accountId, projectId, modelId } = generator;
    const unranked = unrankedOf(question, generator);
    return {
      objective: made.objective,
      relation: made.relation,
      generator,
      itemIds,
      unranked,
      texts,
      warnings: [
        ...disliked.map((item) => dislikedItem(generator.catalog.itemId(item))),
        ...unranked.map(unrankedItem),
        ...warningsOf(question, { generator, compiled, made }),
      ],
      recommendation_id: served.make(
        { accountId, projectId, modelId, placement, ...originOf(experiment) },
        { items: itemIds.length, userId: request.user_id ?? null, isPreview },
        wanted.room,
      ),
      next_page_token: this.#nextPage(project, wanted, question, itemIds),
    };
  }

  async #results(models: RankingModels, question: ListQuestion, { request, showsScores = false, room }: WantedList) {
    const { attributes = [], model_id } = request;
    const { rankings } = this.#parts;
    const { texts: itemTexts } = models.generator.follower;
    if (question.explain || model_id || question.kinds[0].kind === 'given') {
      const detail = question.explain ? 'reasons' : showsScores ? 'score' : 'marks';
      const made = await rankings.make(models, question);
      const items = made.list.items.map(({ item }) => item);
      const last = showsScores ? made.disliked : [];
      const shown = await itemTexts.of([...items, ...last], attributes, room);
      const texts = shown.map((text, n) =>
        n < items.length ? explainedText(text, made.list.items[n], detail) : unscoredText(text),
      );
      return { made, items, texts, disliked: made.disliked };
    }
    const made = await rankings.best(models, question);
    const shown = await itemTexts.of(made.items, attributes, room);
    return { made, items: made.items, texts: markedTexts(shown, made.marks), disliked: [] };
  }

  #nextPage(project: Project, wanted: WantedList, question: ListQuestion, itemIds: readonly string[]) {
    if (itemIds.length < question.limit || wanted.kinds[0].kind === 'given') return null;
    return this.#parts.pageTokens.make(pagedList(project, wanted), [...question.shown, ...itemIds]);
  }
}

function unrankedOf(
  { kinds: [main], exclude_item_ids }: ListQuestion,
  { recommender, catalog }: ServableModel,
): string[] {
  if (main.kind !== 'given') return [];
  const listed = recommender.listed();
  const unranked = new Set(main.itemIds).difference(new Set(exclude_item_ids));
  return [...unranked].filter((id) => {
    const item = catalog.indexOf(id);
    return item < 0 || !isIn(listed, item);
  });
}

function warningsOf(
  { context, kinds, ...folded }: ListQuestion,
  found: {
    generator: ServableModel;
    compiled: CompiledList;
    made: Pick<MadeList, 'relation' | 'skippedPins' | 'meetsNone'>;
  },
): CallWarning[] {
  const { generator, compiled, made } = found;
  const warnings: CallWarning[] = [];
  const asked = kinds.find((kind) => kind.kind === 'related')?.relation;
  if (asked && made.relation && made.relation !== asked) warnings.push(replacedRelation(asked, made.relation));
  if (context) {
    const inFilters = [...compiled.filters, ...compiled.boosts].flatMap(({ needs }) => [...needs.context]);
    warnings.push(...contextWarnings(generator, context, new Set(inFilters)));
  }
  return [...warnings, ...listWarnings(folded, { ...made, catalog: generator.catalog })];
}
