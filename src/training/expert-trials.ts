// Tries experts one by one: each is judged alone, by the NDCG of what is held out.

import { mean, sureGain } from '../domain/compare.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { ndcgOfEach } from './evaluate.ts';
import type { ExpertForge } from './expert-forge.ts';
import { type ExpertSpec, expertName } from './expert-spec.ts';
import type { Judges } from './judges.ts';
import type { TrainingClock } from './training-clock.ts';

export interface ExpertTrial {
  readonly name: string;
  readonly spec: ExpertSpec;
  readonly ndcg: number;
  /** NDCG of each question */
  readonly ndcgs: Float64Array;
}

/** An expert is left out if the best of its family surely finds this share more. */
const CLEARLY_MORE = 0.1;
const FEW_ENTRIES = 150_000;
const MIN_FEW = 500;

export class ExpertTrials {
  readonly tried: ExpertTrial[] = [];
  readonly #pool: KernelPool;
  readonly #forge: ExpertForge;
  readonly #judges: Judges;
  readonly #cutoff: number;
  readonly #isEarlier: readonly boolean[];
  readonly #clock: TrainingClock;

  constructor(
    pool: KernelPool,
    forge: ExpertForge,
    input: { judges: Judges; cutoff: number; isEarlier: readonly boolean[] },
    clock: TrainingClock,
  ) {
    this.#pool = pool;
    this.#forge = forge;
    this.#judges = fewJudges(input.judges);
    this.#cutoff = input.cutoff;
    this.#isEarlier = input.isEarlier;
    this.#clock = clock;
  }

  /**
   * Returns the best `keep` specs, best first; equal ones keep their order. When the time budget is used up, the rest is not
   * tried.
   */
  async bestOf(specs: readonly ExpertSpec[], keep: number): Promise<ExpertSpec[]> {
    const trials: ExpertTrial[] = [];
    for (const spec of specs) {
      if (trials.length > 0 && this.#clock.isLate()) break;
      trials.push(await this.#try(spec));
    }
    return this.ranked(trials.map(({ spec }) => spec)).slice(0, keep);
  }

  /**
   * The first, unless another is clearly better. What depends on time is judged by `late` questions alone: in the earlier ones what
   * others did later is known, so what is newest looks better than it is.
   */
  async clearlyBest(specs: readonly ExpertSpec[], judgedBy: 'all' | 'late' = 'all'): Promise<ExpertSpec> {
    await this.bestOf(specs, 1);
    const counts = (_: number, question: number) => judgedBy === 'all' || !this.#isEarlier[question];
    const [plain, ...others] = this.tried.filter(({ spec }) => specs.includes(spec));
    const before = plain.ndcgs.filter(counts);
    const sure = others.map(({ spec, ndcgs }) => ({ spec, gain: sureGain(ndcgs.filter(counts), before) }));
    return sure.reduce((best, one) => (one.gain > best.gain ? one : best), { spec: plain.spec, gain: 0 }).spec;
  }

  /** Returns the specs best first, without those that find clearly less than the best. */
  withoutPoor(specs: readonly ExpertSpec[]): ExpertSpec[] {
    const ranked = this.ranked(specs);
    const [best, ...others] = ranked.map((spec) => this.tried.find((trial) => trial.spec === spec));
    const poor = others.filter((one) => one && best && sureGain(best.ndcgs, one.ndcgs) > CLEARLY_MORE * one.ndcg);
    return ranked.filter((spec) => !poor.some((one) => one?.spec === spec));
  }

  ranked(specs: readonly ExpertSpec[]): ExpertSpec[] {
    return [...specs].sort((a, b) => this.ndcgOf(b) - this.ndcgOf(a));
  }

  /** Returns 0 for a spec that was not tried. */
  ndcgOf(spec: ExpertSpec): number {
    return this.tried.find((trial) => trial.spec === spec)?.ndcg ?? 0;
  }

  async #try(spec: ExpertSpec): Promise<ExpertTrial> {
    const { memory } = this.#pool;
    const ndcgs = await this.#forge.tryOut(spec, async (forged) => {
      const mark = memory.mark();
      const block = this.#forge.block([forged], { weights: [1], transform: { kind: 'linear' } });
      const found = await ndcgOfEach(this.#pool, { block, ranker: null }, this.#judges, { cutoff: this.#cutoff });
      memory.release(mark);
      return found;
    });
    const ndcg = mean(ndcgs);
    const trial = { name: expertName(spec), spec, ndcg, ndcgs };
    this.tried.push(trial);
    this.#clock.tried({ ...spec, ndcg });
    return trial;
  }
}

/** Settings of one expert differ by more than the blend's last steps: fewer users judge them, by the length of histories. */
export function fewJudges(judges: Judges): Judges {
  let count = judges.count;
  while (count > MIN_FEW && judges.offsets[count] > FEW_ENTRIES) count--;
  return { ...judges, count };
}
