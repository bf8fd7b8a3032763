import type { EventTable } from '../dataset/event-table.ts';
import type { HistoryBlocks } from '../dataset/history-blocks.ts';
import type { InteractionRules } from '../dataset/interactions.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import type { ExpertForge } from './expert-forge.ts';
import type { JudgeSource } from './judges.ts';
import type { MomentQuestions, ScoringQuestions } from './plan-questions.ts';
import type { TrainingClock } from './training-clock.ts';
import type { UnsearchedInput } from './unsearched-model.ts';
import type { ItemBlocks } from './usage-evidence.ts';

export interface SearchInput extends UnsearchedInput {
  /** the events of the users who are asked */
  readonly table: EventTable;
  readonly items: ItemBlocks | undefined;
  readonly users: Uint32Array | undefined;
  readonly rules: InteractionRules;
  readonly seed: number;
}

/** What all steps of the search use. */
export interface Search extends SearchInput {
  readonly pool: KernelPool;
  readonly clock: TrainingClock;
  readonly histories: HistoryBlocks;
  readonly forge: ExpertForge;
  readonly source: JudgeSource;
  /** the questions of the first moment */
  readonly main: MomentQuestions;
  /** the questions of all scorings */
  readonly moments: readonly ScoringQuestions[];
  /** false if questions favor other choices than the future does */
  readonly trusted: boolean;
}
