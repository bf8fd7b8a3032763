// The half-life of `again`: how fast a visit with a target event loses weight. 90 days, unless another is clearly better at
// finding what users came back to.
import type { EventTable } from '../dataset/event-table.ts';
import type { Question } from '../dataset/questions.ts';
import { mean, pairedGain, rounded } from '../domain/compare.ts';
import { AGAIN_HALF_LIFE_DAYS, type ObjectiveRules } from '../history/objective-rules.ts';
import type { RuleTrial } from './choose-rules.ts';
import { ndcgsOf } from './evaluate.ts';
import { askOwn, timed } from './own-lists.ts';

const HALF_LIVES_DAYS = [30, 365];
const CUTOFF = 10;
const MAX_QUESTIONS = 2000;
const MIN_QUESTIONS = 100;
/** Another half-life must gain this share, and twice its standard error. */
const CLEAR_SHARE = 0.01;
const CLEAR_ERRORS = 2;

export function chooseAgain(
  table: EventTable,
  rules: ObjectiveRules,
  questions: readonly Question[],
  popularity: ArrayLike<number>,
): { halfLifeDays: number; record: RuleTrial[] } {
  const asked = timed(table, questions.slice(0, MAX_QUESTIONS));
  const judge = (againHalfLifeDays: number) => {
    const input = { table, popularity, rules: { ...rules, againHalfLifeDays }, limit: CUTOFF };
    const own = askOwn(input, 'again', asked);
    return ndcgsOf(own.lists.objective, own.asked, CUTOFF);
  };
  let best = judge(AGAIN_HALF_LIFE_DAYS);
  let halfLifeDays = AGAIN_HALF_LIFE_DAYS;
  const record: RuleTrial[] = [];
  if (best.length < MIN_QUESTIONS) return { halfLifeDays, record };
  for (const days of HALF_LIVES_DAYS) {
    const own = judge(days);
    const { gain, standardError } = pairedGain(own, best);
    const taken = gain > Math.max(CLEAR_SHARE * mean(best), CLEAR_ERRORS * standardError);
    record.push({ rule: 'again_half_life_days', value: days, ndcg: rounded(mean(own)), gain: rounded(gain), taken });
    if (!taken) continue;
    best = own;
    halfLifeDays = days;
  }
  return { halfLifeDays, record };
}
