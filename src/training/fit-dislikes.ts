// Learns how far the neighbors of disliked items should move down, from what users with dislikes turned to afterwards. With few
// such users the weight stays near its default.
import { type Choices, weightTowards } from '../cold-start/fit-choice-weight.ts';
import type { Dislikes } from '../dataset/dislikes.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { firstAtLeast } from '../dataset/first-at-least.ts';
import type { Question } from '../dataset/questions.ts';
import { hash32 } from '../dataset/random.ts';
import type { ScoringHistory } from '../history/user-signal.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { historyOf, optionCount, optionsOf, type ScoreItems, type ShortJudges } from './short-questions.ts';

export interface DislikeWeight {
  readonly weight: number;
  /** questions of users with dislikes */
  readonly questions: number;
}

export interface DislikesInput {
  readonly table: EventTable;
  /** dislikes of the users who are asked */
  readonly dislikes: Dislikes;
  readonly scorer: Scorer;
  readonly scoreItems: ScoreItems;
  /** factor that puts scores of the blend on the scale of log p */
  readonly tau: number;
  readonly historyCap: number;
  readonly seed: number;
}

/** Prior of the weight. A few hundred questions outweigh it. */
const UNLEARNED = { mean: 0.3, deviation: 0.2 };
const MAX_QUESTIONS = 1000;

/** `judges` are those of the questions. */
export function fitDislikes(input: DislikesInput, questions: readonly Question[], judges: ShortJudges): DislikeWeight {
  const { scorer, tau, seed } = input;
  const options = optionCount(scorer.warmItemCount);
  const all = new Float32Array(scorer.warmItemCount);
  const scores: number[] = [];
  const lifts: number[] = [];
  let asked = 0;
  for (let judge = 0; judge < judges.count && asked < MAX_QUESTIONS && options > 1; judge++) {
    const question = questions[judge];
    const disliked = dislikedBefore(input, question);
    const known = judges.offsets[judge + 1] - judges.offsets[judge];
    const own = new Set([...judges.items.subarray(judges.offsets[judge], judges.offsets[judge + 1]), ...disliked]);
    const target = question.targets.find((item) => item < scorer.warmItemCount && !own.has(item));
    if (disliked.length === 0 || target === undefined) continue;
    const items = optionsOf(target, own, { options, itemCount: scorer.warmItemCount, seed: hash32(seed, judge) });
    if (items === null) continue;
    const base = new Float32Array(options);
    input.scoreItems(historyOf(judges, judge, known), items, base);
    scores.push(...base);
    scorer.scoreAll(plainHistory(disliked), all);
    for (const item of items) lifts.push(-tau * (all[item] - scorer.base[item]));
    asked++;
  }
  const choices: Choices = { options, scores: Float32Array.from(scores), lifts: Float32Array.from(lifts) };
  return { weight: weightTowards(choices, UNLEARNED), questions: asked };
}

/** Items whose newest value before the question is below 0, newest first. */
function dislikedBefore({ table, dislikes, historyCap }: DislikesInput, { user, end }: Question): number[] {
  const nowTs = end < table.userOffsets[user + 1] ? table.ts[end] : Number.POSITIVE_INFINITY;
  const newest = new Map<number, number>();
  const to = firstAtLeast(dislikes.user, user + 1);
  for (let n = firstAtLeast(dislikes.user, user); n < to; n++) {
    if (dislikes.ts[n] < nowTs) newest.set(dislikes.item[n], dislikes.ts[n]);
  }
  for (let event = table.userOffsets[user]; event < end; event++) {
    if (table.ts[event] >= (newest.get(table.item[event]) ?? Number.POSITIVE_INFINITY))
      newest.delete(table.item[event]);
  }
  return [...newest]
    .sort((a, b) => b[1] - a[1])
    .slice(0, historyCap)
    .map(([item]) => item);
}

/** Dislikes in the form the recommender reads them. */
function plainHistory(items: readonly number[]): ScoringHistory {
  return {
    length: items.length,
    items: Uint32Array.from(items),
    weights: new Float32Array(items.length).fill(1),
    seen: new Uint8Array(items.length).fill(1),
  };
}
