// What usage is fitted on: questions about everything that may come next. Usage is about all that users take next: what they touched
// before may come too, and what they had already only where users come back to items. Items that had no events when asked are
// a part of their own: how much of what came they were says how much of usage items without events are.
import type { EventTable } from '../dataset/event-table.ts';
import { type Question, targetsOf } from '../dataset/questions.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { gatherJudges, type JudgeSource } from './judges.ts';

interface UsageQuestionsInput {
  readonly source: JudgeSource;
  readonly questions: readonly Question[];
  readonly comeBack: boolean;
  /** by item: 1 if it had events when asked */
  readonly known: Uint8Array;
}

/** Asks one question at a time: `z` of all items (NaN if an item could not come or had no events), and the targets. */
export class UsageQuestions {
  readonly questions: readonly Question[];
  readonly table: EventTable;
  readonly z: Float32Array;
  readonly #judges: ReturnType<typeof gatherJudges>;
  readonly #scorer: Scorer;
  readonly #comeBack: boolean;
  readonly #hidden: Uint8Array | null;
  readonly known: Uint8Array;

  constructor(memory: KernelMemory, scorer: Scorer, { source, questions, comeBack, known }: UsageQuestionsInput) {
    this.known = known;
    this.table = source.table;
    this.#scorer = scorer;
    this.#comeBack = comeBack;
    this.z = new Float32Array(scorer.warmItemCount);
    this.#hidden = source.hidden;
    // Targets of a random fifth are hidden among the events before the end, whatever the objective.
    const targetsAfter = (question: Question) => targetsOf(this.table, question, 'any');
    this.questions = questions.map((one) => ({ ...one, targets: source.hidden ? one.targets : targetsAfter(one) }));
    this.#judges = gatherJudges(memory, { ...source, objective: 'any' }, this.questions);
  }

  /** Writes the scores for question n to `z`; returns its targets that could be scored. */
  ask(n: number): number[] {
    const { offsets, items, weights, seen } = this.#judges;
    const [from, to] = [offsets[n], offsets[n + 1]];
    const part = {
      items: items.subarray(from, to),
      weights: weights.subarray(from, to),
      seen: seen.subarray(from, to),
    };
    this.#scorer.scoreAll({ length: to - from, ...part }, this.z);
    for (let item = 0; item < this.z.length; item++) if (this.known[item] === 0) this.z[item] = Number.NaN;
    for (const item of this.#gone(n)) this.z[item] = Number.NaN;
    return this.questions[n].targets.filter((item) => item < this.z.length && !Number.isNaN(this.z[item]));
  }

  /** The share of targets without events, averaged over questions. `listed`: among these items alone; null: among all. */
  coldShare(listed: { isListed(item: number): boolean } | null): number {
    let sum = 0;
    let count = 0;
    for (const [n, { targets }] of this.questions.entries()) {
      const gone = this.#gone(n);
      const came = targets.filter(
        (item) => item < this.z.length && !gone.has(item) && (listed?.isListed(item) ?? true),
      );
      if (came.length === 0) continue;
      sum += came.filter((item) => this.known[item] === 0).length / came.length;
      count++;
    }
    return count === 0 ? 0 : sum / count;
  }

  /** Items that could not come next because the user had them already. */
  #gone(n: number): Set<number> {
    const { user, end } = this.questions[n];
    const gone = new Set<number>();
    for (let event = this.table.userOffsets[user]; !this.#comeBack && event < end; event++) {
      if (this.#hidden?.[event] === 1 || this.table.type[event] !== this.table.targetType) continue;
      gone.add(this.table.item[event]);
    }
    return gone;
  }
}
