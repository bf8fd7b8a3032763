// The search: chooses experts, how they are joined for each moment and what scores mean on questions that were held out, and measures
// that on questions that chose nothing. It reads a table of a sample of users.
import type { LearnedObjectives } from '../artifact/g1-model.ts';
import { traced } from '../base/trace.ts';
import { buildHistories } from '../dataset/history-blocks.ts';
import { AGAIN_HALF_LIFE_DAYS, touchStrengths } from '../history/objective-rules.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { judgeSource } from './choose-rules.ts';
import { MIN_QUESTIONS } from './choose-scoring.ts';
import { ExpertForge, type Forged } from './expert-forge.ts';
import { gammasOf } from './expert-grids.ts';
import { itemFacts } from './item-facts.ts';
import { measureMoments } from './measure-moments.ts';
import { onceItems } from './once-items.ts';
import { allQuestions } from './plan-questions.ts';
import type { Search, SearchInput } from './search-input.ts';
import type { SearchResult } from './search-result.ts';
import { calibrateScores, joinExperts, learnFromAll, tuneAgain, tuneExperts } from './search-steps.ts';
import type { TrainingClock } from './training-clock.ts';
import { unsearchedModel } from './unsearched-model.ts';

/**
 * Chooses everything that is judged on held-out events, and measures the result. What it leaves in the kernels' memory
 * may be released.
 */
export async function searchModel(pool: KernelPool, input: SearchInput, clock: TrainingClock): Promise<SearchResult> {
  const { table, items, users, counted, parameters, plan, rules, seed } = input;
  const { memory } = pool;
  const ordered = plan.scale !== 'set';
  const [main] = plan.moments;
  const defaults = defaultObjectives(input);
  if (main === undefined || main.fit.length + main.choose.length + main.report.length < MIN_QUESTIONS) {
    return unsearchedModel(input, defaults);
  }
  const once = await onceItems(plan, { ...counted, items });
  const source = { ...judgeSource(table, rules, plan), once };
  await using histories = await buildHistories(memory, table, rules, { hidden: plan.hidden, users });
  const { historyCap } = rules;
  const forge = new ExpertForge(pool, { counted, histories, seed, ordered, gammas: gammasOf(parameters), historyCap });

  clock.begin('tune', 0.1, 'Trying experts');
  const moments = allQuestions(table, plan);
  // A random fifth of the past favors other experts than the future does, so it is not trusted.
  const trusted = main.kind !== 'fifth';
  const search: Search = { ...input, pool, clock, histories, forge, source, main, moments, trusted };
  const { specs, tried } = await tuneExperts(search);
  const experts: Forged[] = [];
  for (const spec of specs) experts.push(await forge.forge(spec));

  clock.begin('blend', 0.45, `Joining ${specs.length} experts`);
  const members = { pool, forge, experts, facts: await itemFacts(memory, histories, ordered) };
  const scorings = await joinExperts(search, members);

  clock.begin('measure', 0.55, 'Measuring on held-out events');
  const targetEventType = table.typeNames[table.targetType];
  const again = tuneAgain(search, members, { ...defaults, targetEventType });
  const objectives = { ...defaults, againHalfLifeDays: again.halfLifeDays };
  const measured = { ...members, rules: { ...objectives, targetEventType }, seed };
  const metrics = await traced('measure', () => measureMoments(measured, { source, plan, asked: moments }, scorings));
  const calibrated = await calibrateScores(search, members, scorings);

  clock.tell(0.6, 'Learning from all questions');
  return {
    specs,
    scorings: await learnFromAll(search, members, scorings),
    tried,
    metrics,
    ...calibrated,
    objectives,
    againRecord: again.record,
    space: forge.spaceCopy(),
  };
}

function defaultObjectives({ table, facts, plan }: SearchInput): LearnedObjectives {
  const counts = Object.fromEntries(facts.typesSeen.map((type) => [table.typeNames[type], facts.typeCounts[type]]));
  return {
    auto: plan.objective,
    touchStrengths: touchStrengths(counts, table.typeNames[table.targetType]),
    visitGapMs: plan.gapMs,
    againHalfLifeDays: AGAIN_HALF_LIFE_DAYS,
  };
}
