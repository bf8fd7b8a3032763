// The question of a recommendation job for each user: from the fields of the job, or from its placement and the fields
// of the job. If an experiment runs, the user's variant is used.

import type { Runtime } from '../../base/runtime.ts';
import { withOverrides } from '../../domain/experiment.ts';
import type { PlacementDefinition } from '../../domain/placement.ts';
import { DEFAULT_JOB_LIST } from '../../domain/recommendation-job.ts';
import type { Attributes } from '../../domain/record.ts';
import { type AskingParts, askPlacement } from '../../serving/ask-placement.ts';
import { CallFilters } from '../../serving/call-filters.ts';
import { chooseVariant } from '../../serving/choose-variant.ts';
import type { ListQuestion } from '../../serving/list-question.ts';
import type { LivePlacement } from '../../serving/live-placements.ts';
import { type AskedList, compileList, foldList, questionOf } from '../../serving/questions.ts';
import type { ListOrder } from './list-protocol.ts';

export interface JobQuestion {
  readonly question: ListQuestion;
  /** set if the variant uses another model than the job */
  readonly modelId: string | null;
}

export class JobQuestions {
  /** whether a user's record can change the list */
  readonly readsUsers: boolean;
  readonly #order: ListOrder;
  readonly #filters: CallFilters;
  readonly #outcomes: AskingParts['outcomes'];
  readonly #runtime: Runtime;
  /** the user of the current question */
  #user: { readonly id: string; readonly attributes: Attributes } | null = null;

  constructor(order: ListOrder, outcomes: AskingParts['outcomes'], runtime: Runtime) {
    this.#order = order;
    this.#outcomes = outcomes;
    this.#runtime = runtime;
    // Filters see the record that was read with the others of the batch, and one time for all users.
    this.#filters = new CallFilters({ users: { get: async () => this.#user } }, () => order.nowMs);
    this.readsUsers = filterTexts(order).some((text) => this.#filters.compile(text).needs.user.size > 0);
  }

  /** Must not be called again before it resolves, because the user is kept in this object. */
  async of(userId: string, record: Attributes | null): Promise<JobQuestion> {
    const { project, data } = this.#order;
    this.#user = record && { id: userId, attributes: record };
    const asked = await this.#askedFor(userId);
    const folded = await foldList(this.#filters, project, asked.request, compileList(this.#filters, asked));
    const modelId = data.model_given ? null : (asked.request.model_id ?? null);
    return { question: questionOf(asked, folded, []), modelId };
  }

  async #askedFor(user_id: string): Promise<AskedList> {
    const { project, data, placement } = this.#order;
    const { limit, objective, filter_query, filter_params, exclude_event_types } = data;
    const own = { user_id, filter_query, filter_params, exclude_event_types, ...(limit !== null && { limit }) };
    const request = { ...data.call, ...own };
    if (placement === null) return { kinds: [{ kind: 'user', objective: objective ?? 'auto' }], request };
    const call = { ...request, ...(objective !== null && { objective }) };
    const { definition } = chooseVariant(placement, user_id);
    const parts = { filters: this.#filters, outcomes: this.#outcomes, runtime: this.#runtime };
    return (await askPlacement(parts, project, definition, call)).asked;
  }
}

/** Every definition that a user may get: the placement's own, and those of the variants. */
function definitionsOf({ current: { definition }, experiment }: LivePlacement): PlacementDefinition[] {
  return [definition, ...(experiment?.variants ?? []).map(({ overrides }) => withOverrides(definition, overrides))];
}

/** The most items that a user may get. A placement without a limit gives fewer than a job by default. */
export function longestList({ data: { limit }, placement }: Pick<ListOrder, 'data' | 'placement'>): number {
  if (limit !== null) return limit;
  const limits = placement === null ? [] : definitionsOf(placement).map(({ defaults }) => defaults.limit ?? 0);
  return Math.max(DEFAULT_JOB_LIST, ...limits);
}

/** All filters that may be used for any user. */
function filterTexts({ data, placement }: ListOrder): string[] {
  const boosted = (data.call?.boosts ?? []).map((boost) => boost.filter_query);
  const texts: (string | null)[] = [data.filter_query, ...boosted];
  if (placement !== null) {
    for (const { defaults, rules } of definitionsOf(placement)) {
      for (const part of [defaults, ...rules]) {
        texts.push(part.filter_query ?? null, ...(part.boosts ?? []).map((boost) => boost.filter_query));
      }
      texts.push(...rules.map(({ only_if }) => only_if ?? null));
    }
  }
  return texts.filter((text): text is string => text !== null && text !== '');
}
