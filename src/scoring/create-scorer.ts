// Creates the scorer of a model: lays out experts, blends and rankers in the kernels' memory.
import type { G1Model } from '../artifact/g1-model.ts';
import { atOnce, type Steps } from '../base/steps.ts';
import { KernelMemory } from '../kernels/kernel-memory.ts';
import { buildRankerBlock, rankScratchBytes } from './ranker-block.ts';
import { lanesFor, scoreBlockSteps } from './score-block.ts';
import { type ExpertLanes, laneBytes, laneSteps } from './score-lanes.ts';
import { KernelScorer, type MomentBlocks, RANKED_AT_ONCE, type Scorer, type ScorerSize } from './scorer.ts';

const SLACK_BYTES = 1 << 20;

export function createScorer(model: G1Model): Scorer {
  return atOnce(scorerSteps(model));
}

/** Creates the scorer in steps, for a thread that serves calls meanwhile. */
export function* scorerSteps(model: G1Model): Steps<Scorer> {
  const cap = Math.max(1, Math.min(model.historyCap, model.warmItemCount));
  const memory = new KernelMemory(scorerBytes(model, cap));
  const lanes = yield* laneSteps(memory, model, cap);
  return yield* lanesSteps(memory, lanes, model);
}

/**
 * Makes a scorer over experts that are in the memory already, valid as long as they stay there. It allocates its own arrays there
 * too.
 */
export function scorerOver(memory: KernelMemory, lanes: ExpertLanes, size: ScorerSize): Scorer {
  return atOnce(lanesSteps(memory, lanes, size));
}

function* lanesSteps(memory: KernelMemory, lanes: ExpertLanes, size: ScorerSize): Steps<Scorer> {
  const moments: MomentBlocks[] = [];
  for (const scoring of lanes.scorings) {
    const block = yield* scoreBlockSteps(memory, {
      itemCount: size.warmItemCount,
      sparse: lanes.sparse,
      popularity: lanes.popularity,
      weights: scoring.weights,
      logConstant: scoring.logConstant,
    });
    const ranker = scoring.ranker === null ? null : buildRankerBlock(memory, block, scoring.ranker);
    moments.push({ block, ranker, scoring });
    yield;
  }
  return new KernelScorer(size, memory, lanes, moments);
}

function scorerBytes(model: G1Model, cap: number): number {
  const lanes = lanesFor(model.experts.length);
  return laneBytes(model, cap) + rankScratchBytes(lanes, RANKED_AT_ONCE) + SLACK_BYTES;
}
