// JSON whose whole numbers keep all their digits. Ids of 64 bits have more than a number of JavaScript can hold: such a number becomes
// a bigint, as in Parquet.

const MANY_DIGITS = /(?<![\d.])\d{16}/;
/** More digits than an id may have stay a number, because a bigint of millions of digits takes long to make. */
const WHOLE = /^-?\d{16,256}$/;

export function parseJson(text: string): unknown {
  return MANY_DIGITS.test(text) ? JSON.parse(text, withAllDigits) : JSON.parse(text);
}

/** Old browsers give no `context`. There the number stays, and is refused where it is an id. */
function withAllDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const { source = '' } = context ?? {};
  return WHOLE.test(source) ? BigInt(source) : value;
}
