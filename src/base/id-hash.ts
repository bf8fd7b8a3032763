// A short number for a client's id, where rows are only compared and the id itself need not be stored. Two ids share a number
// with a chance of 2⁻⁵². Not a secret: whoever has an id can compute its number.

const HIGH_BITS = 0xfffff;
const TWO_32 = 2 ** 32;

/** Returns a number from 1 to 2^52 - 1, so that 0 can mean "none". Equal texts give equal numbers on every machine. */
export function idHash(text: string, salt = ''): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (const part of [salt, text]) {
    for (let at = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x5bd1e995);
      high ^= high >>> 15;
    }
    // Separates the two texts: moving a character from one to the other changes the number.
    low = Math.imul(low ^ 0xffff, 0x01000193);
    high = Math.imul(high ^ 0xffff, 0x5bd1e995);
  }
  low = spread(low ^ high);
  high = spread(high + low);
  return (high & HIGH_BITS) * TWO_32 + (low >>> 0) || 1;
}

/** Every bit of the input reaches every bit of the result. */
function spread(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}

/** Rows about a user are found by this number. Accounts have different ones for the same id. */
export const userHash = (accountId: string, userId: string): number => idHash(userId, accountId);

export const itemHash = (itemId: string): number => idHash(itemId);
