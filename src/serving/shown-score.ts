// Scores as responses and results show them: six decimals, which is what a model's scores are worth, in half the characters. Very
// small and very large scores keep their digits.

const DECIMALS = 6;
const UNIT = 10 ** DECIMALS;
/** Smaller scores keep more digits, because six decimals would be too few. */
const SMALL = 1e-3;
const SMALL_DIGITS = 7;
/** Below this, all digits are exact in a double. */
const LARGE = 1e9;

export function shownScore(score: number): number {
  if (isPlain(score)) return Math.round(score * UNIT) / UNIT;
  return Math.abs(score) < SMALL ? Number(score.toPrecision(SMALL_DIGITS)) : score;
}

const DIGIT_0 = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
/** Bytes that a score takes at most. */
export const MAX_SCORE_BYTES = 32;

/** Writes `shownScore` as a JSON number and returns the end position. */
export function writeScore(score: number, to: Uint8Array, start: number): number {
  if (!isPlain(score)) return writeText(String(shownScore(score)), to, start);
  let at = start;
  if (score < 0) to[at++] = MINUS;
  const units = Math.abs(Math.round(score * UNIT));
  const whole = Math.floor(units / UNIT);
  const rest = units - whole * UNIT;
  at = writeWhole(whole, to, at, digitsOf(whole));
  if (rest === 0) return at;
  to[at++] = POINT;
  at = writeWhole(rest, to, at, DECIMALS);
  while (to[at - 1] === DIGIT_0) at--;
  return at;
}

function isPlain(score: number): boolean {
  const size = Math.abs(score);
  return size >= SMALL && size < LARGE;
}

function digitsOf(whole: number): number {
  let digits = 1;
  for (let least = 10; least <= whole; least *= 10) digits++;
  return digits;
}

/** `whole` must be less than 2^31. */
function writeWhole(whole: number, to: Uint8Array, start: number, digits: number): number {
  let left = whole | 0;
  for (let at = start + digits - 1; at >= start; at--) {
    const next = (left / 10) | 0;
    to[at] = DIGIT_0 + left - 10 * next;
    left = next;
  }
  return start + digits;
}

function writeText(ascii: string, to: Uint8Array, start: number): number {
  for (let n = 0; n < ascii.length; n++) to[start + n] = ascii.charCodeAt(n);
  return start + ascii.length;
}
