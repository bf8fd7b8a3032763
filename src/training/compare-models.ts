// Whether a new model is worse than the one that is deployed. Both are asked about the newest events, those after the deployed
// one was trained. The new model has learned from these events too and would remember the answers, so a twin of it is asked: the
// same settings, fitted without the events in question. Where there are enough, only the newer half of the new events is in
// question, so that the twin has learned from the older half, as the new model will have from all when it is asked about later
// ones. Items without events are left out on both sides.
import type { G1Model } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { type BlockRoom, buildHistories } from '../dataset/history-blocks.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import { type HeldOut, holdOut, type Question } from '../dataset/questions.ts';
import { sampleOf } from '../dataset/random.ts';
import type { ModelComparison } from '../domain/automation.ts';
import { bootstrapInterval, mean, rounded } from '../domain/compare.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { expertLanes } from '../scoring/score-lanes.ts';
import { ndcgOfEach } from './evaluate.ts';
import { ExpertForge, type Forged } from './expert-forge.ts';
import { rankerOver } from './fit-ranker.ts';
import { itemFacts } from './item-facts.ts';
import { gatherJudges } from './judges.ts';
import { makerOf, sourceOf } from './model-maker.ts';
import type { QuestionPlan } from './plan-questions.ts';
import type { SearchResult } from './search-result.ts';

/** How a model was fitted: enough to fit it again without some events. */
export interface Recipe extends Pick<SearchResult, 'specs' | 'scorings'> {
  readonly rules: InteractionRules;
  readonly plan: QuestionPlan;
  readonly seed: number;
  readonly gammas: readonly [number, number];
}

export interface Rival {
  readonly modelId: string;
  readonly model: G1Model;
  /** it has seen no event after this time */
  readonly trainedUntilMs: number;
}

export interface ComparisonInput {
  readonly table: EventTable;
  readonly recipe: Recipe;
  /** of the new model, by item of the table */
  readonly once: Uint8Array | null;
  readonly rival: Rival;
  /** for histories that do not fit on the memory */
  readonly room?: BlockRoom;
}

const CUTOFF = 10;
/** An interval over fewer users says nothing. */
export const MIN_COMPARED_USERS = 50;
const MAX_COMPARED_USERS = 4000;

export async function compareModels(pool: KernelPool, input: ComparisonInput): Promise<ModelComparison> {
  const { table, recipe, rival } = input;
  const asked = newestQuestions(table, recipe, rival.trainedUntilMs);
  if (asked.questions.length < MIN_COMPARED_USERS) {
    return {
      ...{ compared_model_id: rival.modelId, verdict: 'too_few_users', users: asked.questions.length, since_ts: null },
      ...{ ndcg: null, compared_ndcg: null, difference: null, interval: null },
    };
  }
  const mark = pool.memory.mark();
  const own = await askTwin(pool, input, asked);
  pool.memory.release(mark);
  const others = await askRival(pool, input, asked.questions);
  pool.memory.release(mark);
  // One question per user, so the differences are independent.
  const differences = own.map((ndcg, n) => ndcg - others[n]);
  const [low, high] = bootstrapInterval(differences, recipe.seed || 1);
  return {
    compared_model_id: rival.modelId,
    verdict: high < 0 ? 'worse' : low > 0 ? 'better' : 'not_worse',
    users: differences.length,
    since_ts: asked.cutTs,
    ...{ ndcg: rounded(mean(own)), compared_ndcg: rounded(mean(others)), difference: rounded(mean(differences)) },
    interval: [rounded(low), rounded(high)],
  };
}

interface Asked {
  readonly cutTs: number;
  readonly hidden: HeldOut['hidden'];
  readonly questions: readonly Question[];
}

function newestQuestions(table: EventTable, { plan, seed }: Recipe, trainedUntilMs: number): Asked {
  const isNewer = (ts: number, event: number) => table.type[event] === table.targetType && ts > trainedUntilMs;
  const newer = table.ts.filter(isNewer);
  const none: Asked = { cutTs: trainedUntilMs + 1, hidden: new Uint8Array(0), questions: [] };
  // Without real times nothing says which events are new.
  if (newer.length < MIN_COMPARED_USERS || (plan.scale !== 'times' && plan.scale !== 'days')) return none;
  const middle = newer.sort()[Math.floor(newer.length / 2)];
  for (const cutTs of [middle, trainedUntilMs + 1]) {
    const { objective, gapMs } = plan;
    const { hidden, questions } = holdOut(table, { objective, kinds: ['arriving'], gapMs, cutTs, seed });
    // A visit that began earlier is held out whole: the deployed model has seen its beginning.
    const unseen = questions.arriving.filter(({ end }) => table.ts[end] > trainedUntilMs);
    if (unseen.length < MIN_COMPARED_USERS) continue;
    const places = sampleOf([...unseen.keys()], MAX_COMPARED_USERS, seed);
    return { cutTs, hidden, questions: places.map((place) => unseen[place]) };
  }
  return none;
}

async function askTwin(pool: KernelPool, input: ComparisonInput, asked: Asked): Promise<Float64Array> {
  const { table, recipe, once } = input;
  const { rules, plan, specs, scorings, seed, gammas } = recipe;
  const { memory } = pool;
  const { hidden } = asked;
  await using histories = await buildHistories(memory, table, rules, { hidden, ...input.room });
  const forge = new ExpertForge(pool, { table, histories, hidden, seed, gammas, historyCap: rules.historyCap });
  await forge.prepareRidges(specs);
  const experts: Forged[] = [];
  for (const spec of specs) experts.push(await forge.forge(spec));
  const { blend, ranker } = scorings[0].scoring;
  const facts = await itemFacts(memory, histories, plan.scale !== 'set');
  const block = forge.block(experts, blend);
  const maker = { block, ranker: ranker === null ? null : buildRankerBlock(memory, block, rankerOver(ranker, facts)) };
  const source = { table, rules, objective: plan.objective, gapMs: plan.gapMs, hidden, once };
  return ndcgOfEach(pool, maker, gatherJudges(memory, source, asked.questions), { cutoff: CUTOFF });
}

async function askRival(
  pool: KernelPool,
  { table, recipe, rival }: ComparisonInput,
  questions: readonly Question[],
): Promise<Float64Array> {
  const { memory } = pool;
  const { model } = rival;
  const { objective, gapMs } = recipe.plan;
  const { moment } = recipe.plan.moments[0] ?? { moment: 'arriving' };
  const itemCount = model.warmItemCount;
  const seen = asModelSees(model, table, questions);
  const lanes = expertLanes(memory, model, Math.max(1, Math.min(model.historyCap, itemCount)));
  const maker = makerOf(memory, model, lanes, { objective, moment, itemCount });
  const judges = gatherJudges(memory, sourceOf(model, seen.table, { objective, gapMs }), seen.questions);
  return ndcgOfEach(pool, maker, judges, { cutoff: CUTOFF });
}

/** The histories of the questions in the model's numbers of items. Items it does not know cannot be found, and say nothing in a history. */
function asModelSees(model: G1Model, table: EventTable, questions: readonly Question[]) {
  const { warmItemCount } = model;
  const numberOf = new Int32Array(table.itemCount).fill(-2);
  const known = (item: number): number => {
    if (numberOf[item] === -2) {
      const number = model.itemIds.indexOf(table.itemIds.at(item)!);
      numberOf[item] = number < warmItemCount ? number : -1;
    }
    return numberOf[item];
  };
  const rows: number[] = [];
  const offsets = [0];
  const ends: number[] = [];
  for (const { user, end } of questions) {
    for (let event = table.userOffsets[user]; event < end; event++) if (known(table.item[event]) >= 0) rows.push(event);
    ends.push(rows.length);
    offsets.push(rows.length);
  }
  const seen: EventTable = {
    ...{ userCount: questions.length, itemCount: warmItemCount, length: rows.length },
    userOffsets: Uint32Array.from(offsets),
    item: Uint32Array.from(rows, (event) => known(table.item[event])),
    type: Uint8Array.from(rows, (event) => table.type[event]),
    value: Float32Array.from(rows, (event) => table.value[event]),
    ts: Float64Array.from(rows, (event) => table.ts[event]),
    ...{ itemIds: model.itemIds, typeNames: table.typeNames, targetType: table.targetType },
  };
  const asked = questions.map(({ targets }, user) => ({
    ...{ user, end: ends[user] },
    targets: targets.map((item) => (known(item) >= 0 ? known(item) : warmItemCount + item)),
  }));
  return { table: seen, questions: asked };
}
