// The two halves of the users that attributes are judged by.
import type { Half } from '../cold-start/fit-lifts.ts';
import { hash32 } from '../dataset/random.ts';

const SEED = 0x51ed270b;

/**
 * Splits by user, so that what one person does every day does not look like a rule that holds for others. Uses a hash,
 * because users may alternate by kind, such as every second one in a file.
 */
export const halfOf = (user: number): Half => (hash32(SEED, user) & 1) as Half;
