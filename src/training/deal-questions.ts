// Deals questions out by user, so that no user both fits and measures: half of the users fit, a quarter chooses, and a quarter only
// measures what is reported. Users are drawn, not questions: those with many are no likelier.
import type { Question } from '../dataset/questions.ts';
import { hash32, sampleOf } from '../dataset/random.ts';

export interface DealtQuestions {
  readonly fit: readonly Question[];
  readonly choose: readonly Question[];
  readonly report: readonly Question[];
}

/** Most questions of one role, and most events in their histories. */
interface Room {
  readonly questions: number;
  readonly events: number;
}

const FIT: Room = { questions: 18_000, events: 1_200_000 };
const CHOOSE: Room = { questions: 3000, events: 200_000 };
const REPORT: Room = { questions: 3000, events: 200_000 };

export interface DealtTo {
  readonly userOffsets: Uint32Array;
  /** most events in a history */
  readonly historyCap: number;
  readonly seed: number;
}

export function dealQuestions(
  questions: readonly Question[],
  { userOffsets, historyCap, seed }: DealtTo,
): DealtQuestions {
  const ofUser = Map.groupBy(questions, ({ user }) => user);
  const roleOf = (user: number) => {
    const role = hash32(seed ^ 0x2545f491, user) % 4;
    // Earlier questions never measure: the model has seen what other users did after them.
    return role === 0 && ofUser.get(user)![0].isEarlier ? 3 : role;
  };
  const heldBy = ({ user, end }: Question) => Math.min(end - userOffsets[user], historyCap);
  const some = (isRole: (role: number) => boolean, most: Room) => {
    const users = [...ofUser.keys()].filter((user) => isRole(roleOf(user)));
    const drawn: Question[] = [];
    let events = 0;
    for (const user of sampleOf(users, most.questions, seed)) {
      const own = ofUser.get(user)!;
      events += own.reduce((sum, question) => sum + heldBy(question), 0);
      // The draw ends here: going on with those who still fit would favor users with few events.
      if (drawn.length > 0 && (events > most.events || drawn.length + own.length > most.questions)) break;
      drawn.push(...own);
    }
    return drawn;
  };
  return {
    fit: some((role) => role > 1, FIT),
    choose: some((role) => role === 1, CHOOSE),
    report: some((role) => role === 0, REPORT),
  };
}
