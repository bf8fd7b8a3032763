// Makes lists of a finished model for training and evaluation, with the blend and ranker that serving would choose for
// a moment and an objective.
import type { G1Model } from '../artifact/g1-model.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { historyRulesOf } from '../history/history-rules.ts';
import type { Moment } from '../history/moment.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import { buildRankerBlock } from '../scoring/ranker-block.ts';
import { buildScoreBlock } from '../scoring/score-block.ts';
import type { ExpertLanes } from '../scoring/score-lanes.ts';
import type { ListMaker } from './evaluate.ts';
import type { JudgeSource } from './judges.ts';

export interface AskedOf {
  readonly objective: 'discover' | 'any';
  readonly moment: Moment;
  readonly itemCount: number;
}

/** Histories as the model reads them. `gapMs`: a longer pause begins a new visit. */
export function sourceOf(
  model: G1Model,
  table: EventTable,
  asked: Pick<JudgeSource, 'objective' | 'gapMs'>,
): JudgeSource {
  const weights = new Map(Object.entries(model.typeWeights));
  const typeWeights = table.typeNames.map((name) => weights.get(name) ?? 0);
  const rules = { ...historyRulesOf(model), typeWeights };
  return { table, rules, ...asked, hidden: null, once: model.onceItems ?? null };
}

export function makerOf(memory: KernelMemory, model: G1Model, lanes: ExpertLanes, asked: AskedOf): ListMaker {
  const { objective, moment, itemCount } = asked;
  const discovers = objective === 'discover' && model.objectives?.auto === 'any';
  const forNew = moment === 'browsing' ? 'discovering_browsing' : 'discovering';
  const { weights, logConstant, ranker } = lanes.scorings[lanes.ofMoment[discovers ? forNew : moment]];
  const { popularity, sparse } = lanes;
  const block = buildScoreBlock(memory, { itemCount, popularity, sparse, weights, logConstant });
  return { block, ranker: ranker === null ? null : buildRankerBlock(memory, block, ranker) };
}
