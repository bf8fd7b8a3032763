// The two halves of the users that attributes are judged by.
import type { Half } from '../cold-start/fit-lifts.ts';
import { hash32 } from '../dataset/random.ts';

const SEED = 0x51ed270b;

/**
 * By user: what somebody does every day must not look like a rule that holds for others. By hash: users may come in turns, as in a
 * file where every second one is of the same kind.
 */
export const halfOf = (user: number): Half => (hash32(SEED, user) & 1) as Half;
