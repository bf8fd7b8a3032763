// Checks whether a new model is worse than the deployed one. Both are asked about the newest events, those after the deployed one
// was trained. The new model has learned from these events too and would remember what came next, so a twin of it is tested: the
// same settings, fitted without the events in question. Where there are enough, only the newer half of the new events is in
// question, so that the twin has learned from the older half, as the new model will have from all when it is asked about later
// ones. Items without events are left out on both sides.
import type { G1Model } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { type BlockRoom, buildAllHistories } from '../dataset/history-blocks.ts';
import { nthSmallestOf, type ValuePass } from '../dataset/nth-smallest.ts';
import { type HoldOutRules, holdOut, type Question } from '../dataset/questions.ts';
import { sampleOf } from '../dataset/random.ts';
import { tableOfSample } from '../dataset/sample-users.ts';
import { type HiddenOf, perPart, type TrainingEvents } from '../dataset/training-events.ts';
import type { ModelComparison } from '../domain/automation.ts';
import { bootstrapInterval, mean, rounded } from '../domain/compare.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { expertLanes } from '../scoring/score-lanes.ts';
import { ndcgOfEach } from './evaluate.ts';
import { ExpertForge } from './expert-forge.ts';
import { itemFacts } from './item-facts.ts';
import { gatherJudges } from './judges.ts';
import { makerOf, sourceOf } from './model-maker.ts';
import { modelScoring } from './model-scoring.ts';
import type { Recipe } from './search-result.ts';

export interface Rival {
  readonly modelId: string;
  readonly model: G1Model;
  /** time up to which it was trained: it has seen no later event */
  readonly trainedUntilMs: number;
}

export interface ComparisonInput {
  readonly events: TrainingEvents;
  /** the new model */
  readonly model: G1Model;
  readonly recipe: Recipe;
  readonly rival: Rival;
  /** for histories that do not fit in the kernels' memory */
  readonly room?: BlockRoom;
}

const CUTOFF = 10;
/** With fewer users an interval says nothing. */
export const MIN_COMPARED_USERS = 50;
const MAX_COMPARED_USERS = 4000;

export async function compareModels(pool: KernelPool, input: ComparisonInput): Promise<ModelComparison> {
  const { events, recipe, rival } = input;
  const asked = await newestQuestions(events, recipe, rival.trainedUntilMs);
  if (asked === null) {
    return {
      compared_model_id: rival.modelId,
      verdict: 'too_few_users',
      users: 0,
      since_ts: null,
      ndcg: null,
      compared_ndcg: null,
      difference: null,
      interval: null,
    };
  }
  const mark = pool.memory.mark();
  const twin = await fitTwin(pool, input, asked);
  pool.memory.release(mark);
  const own = await ask(pool, twin, recipe, asked);
  pool.memory.release(mark);
  const others = await ask(pool, rival.model, recipe, asked);
  pool.memory.release(mark);
  // Each user has one question, so the differences are independent.
  const differences = own.map((ndcg, n) => ndcg - others[n]);
  const [low, high] = bootstrapInterval(differences, recipe.seed || 1);
  return {
    compared_model_id: rival.modelId,
    verdict: high < 0 ? 'worse' : low > 0 ? 'better' : 'not_worse',
    users: differences.length,
    since_ts: asked.cutTs,
    ndcg: rounded(mean(own)),
    compared_ndcg: rounded(mean(others)),
    difference: rounded(mean(differences)),
    interval: [rounded(low), rounded(high)],
  };
}

interface Asked {
  readonly cutTs: number;
  readonly hiddenOf: HiddenOf;
  /** events of the users who are asked, under their own numbers */
  readonly table: EventTable;
  readonly questions: readonly Question[];
}

/** Returns null if there are too few new events. */
async function newestQuestions(
  events: TrainingEvents,
  { plan, seed }: Recipe,
  trainedUntilMs: number,
): Promise<Asked | null> {
  // Without real times it is unknown which events are new.
  if (plan.scale !== 'times' && plan.scale !== 'days') return null;
  const newerTimes: ValuePass = async (visit) => {
    for await (const { length, type, ts, targetType } of events.parts()) {
      for (let event = 0; event < length; event++) {
        if (type[event] === targetType && ts[event] > trainedUntilMs) visit(ts[event]);
      }
    }
  };
  const middlePlace = (count: number) => (count < MIN_COMPARED_USERS ? [] : [Math.floor(count / 2)]);
  const [middle] = await nthSmallestOf(newerTimes, middlePlace);
  if (middle === undefined) return null;
  for (const cutTs of [middle, trainedUntilMs + 1]) {
    const { objective, gapMs } = plan;
    const rules: HoldOutRules = { objective, kinds: ['arriving'], gapMs, cutTs, seed };
    const heldOut = perPart((part) => holdOut(part, rules));
    let count = 0;
    let drawn = new Map<number, Question>();
    for await (const part of events.parts()) {
      const { userOffsets, firstUser } = part;
      for (const { user, end, targets } of heldOut(part).questions.arriving) {
        // A visit that began earlier is held out whole: the deployed model has seen its beginning.
        if (part.ts[end] <= trainedUntilMs) continue;
        drawn.set(count++, { user: firstUser + user, end: end - userOffsets[user], targets });
      }
      const places = sampleOf([...drawn.keys()], MAX_COMPARED_USERS, seed);
      drawn = new Map(places.map((place) => [place, drawn.get(place)!]));
    }
    if (count < MIN_COMPARED_USERS) continue;
    const own = [...drawn.values()];
    const table = await tableOfSample(events, Uint32Array.from(own, ({ user }) => user).sort());
    const questions = own.map((question) => ({ ...question, end: table.userOffsets[question.user] + question.end }));
    return { cutTs, hiddenOf: (part) => heldOut(part).hidden, table, questions };
  }
  return null;
}

/**
 * Fits the new model again without the held-out events. Its experts are made one after the other, because all together
 * may not fit in memory.
 */
async function fitTwin(pool: KernelPool, input: ComparisonInput, { cutTs, hiddenOf }: Asked): Promise<G1Model> {
  const { events, recipe, model } = input;
  const { rules, plan, specs, scorings, seed, gammas } = recipe;
  const ordered = plan.scale !== 'set';
  await using histories = await buildAllHistories(pool.memory, events, rules, { hiddenOf, ...input.room });
  const counted = { events, nowTs: cutTs, ordinaryValue: rules.valueUnit, hiddenOf };
  const forge = new ExpertForge(pool, { counted, histories, seed, gammas, ordered, historyCap: rules.historyCap });
  const experts = await forge.modelExperts(specs, () => {});
  const facts = await itemFacts(pool.memory, histories, ordered);
  return { ...model, experts, ...modelScoring(scorings, facts) };
}

async function ask(
  pool: KernelPool,
  model: G1Model,
  { plan: { objective, gapMs, moments } }: Recipe,
  { table, questions }: Asked,
): Promise<Float64Array> {
  const { memory } = pool;
  const { moment } = moments[0] ?? { moment: 'arriving' };
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
    userCount: questions.length,
    itemCount: warmItemCount,
    length: rows.length,
    userOffsets: Uint32Array.from(offsets),
    item: Uint32Array.from(rows, (event) => known(table.item[event])),
    type: Uint8Array.from(rows, (event) => table.type[event]),
    value: Float32Array.from(rows, (event) => table.value[event]),
    ts: Float64Array.from(rows, (event) => table.ts[event]),
    itemIds: model.itemIds,
    typeNames: table.typeNames,
    targetType: table.targetType,
  };
  const asked = questions.map(({ targets }, user) => ({
    user,
    end: ends[user],
    targets: targets.map((item) => (known(item) >= 0 ? known(item) : warmItemCount + item)),
  }));
  return { table: seen, questions: asked };
}
