// Which questions teach and which judge what was taught: never those of the same user.
import type { Question } from '../dataset/questions.ts';
import { hash32 } from '../dataset/random.ts';

export interface JudgingRound {
  readonly taught: readonly Question[];
  readonly judged: readonly Question[];
}

/** With fewer in all, those to fit judge too. Of more, a third is enough, and learning three times would take long. */
const MANY_QUESTIONS = 3000;
const ROUNDS = 3;
const SEED = 0x1b873593;

/**
 * Of few questions all judge what is learned, or chance would choose it: each third of the users judges what the other two thirds have
 * taught, which are as many as there are to fit.
 */
export function judgingRounds(fit: readonly Question[], choose: readonly Question[]): JudgingRound[] {
  const all = [...choose, ...fit];
  if (all.length >= MANY_QUESTIONS) return [{ taught: fit, judged: choose }];
  const roundOf = ({ user }: Question) => hash32(SEED, user) % ROUNDS;
  return Array.from({ length: ROUNDS }, (_, round) => ({
    taught: all.filter((question) => roundOf(question) !== round),
    judged: all.filter((question) => roundOf(question) === round),
  }));
}
