// Arrays as PostgreSQL reads them in its binary format, for `unnest` of many rows: bytes are copied once, where the text format
// would have every number printed and parsed, and every quote and backslash escaped. The driver sends a Buffer as binary.

const BIGINT_OID = 20;
const TEXT_OID = 25;
const DOUBLE_OID = 701;
const HEADER_BYTES = 20;
const NULL_LENGTH = -1;
const TWO_32 = 2 ** 32;

function writeHeader(buffer: Buffer, oid: number, { length, hasNulls }: { length: number; hasNulls: boolean }): number {
  let at = buffer.writeInt32BE(1, 0); // number of dimensions
  at = buffer.writeInt32BE(hasNulls ? 1 : 0, at);
  at = buffer.writeInt32BE(oid, at);
  at = buffer.writeInt32BE(length, at);
  return buffer.writeInt32BE(1, at); // index of the first element
}

/** A parameter for `$n::text[]`. */
export function binaryTextArray(texts: readonly Uint8Array[]): Buffer {
  const buffer = Buffer.allocUnsafe(texts.reduce((sum, { length }) => sum + 4 + length, HEADER_BYTES));
  let at = writeHeader(buffer, TEXT_OID, { length: texts.length, hasNulls: false });
  for (const text of texts) {
    at = buffer.writeInt32BE(text.length, at);
    buffer.set(text, at);
    at += text.length;
  }
  return buffer;
}

/** A parameter for `$n::bigint[]`; whole numbers. */
export const binaryBigintArray = (numbers: readonly (number | null)[]): Buffer =>
  binaryNumbers(numbers, BIGINT_OID, (buffer, number, at) => {
    buffer.writeInt32BE(Math.floor(number / TWO_32), at);
    buffer.writeInt32BE(number | 0, at + 4);
  });

/** A parameter for `$n::double precision[]`. */
export const binaryDoubleArray = (numbers: readonly (number | null)[]): Buffer =>
  binaryNumbers(numbers, DOUBLE_OID, (buffer, number, at) => buffer.writeDoubleBE(number, at));

function binaryNumbers(
  numbers: readonly (number | null)[],
  oid: number,
  write: (buffer: Buffer, number: number, at: number) => void,
): Buffer {
  const nulls = numbers.reduce<number>((count, number) => count + (number === null ? 1 : 0), 0);
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + 12 * numbers.length - 8 * nulls);
  let at = writeHeader(buffer, oid, { length: numbers.length, hasNulls: nulls > 0 });
  for (const number of numbers) {
    at = buffer.writeInt32BE(number === null ? NULL_LENGTH : 8, at);
    if (number === null) continue;
    write(buffer, number, at);
    at += 8;
  }
  return buffer;
}
