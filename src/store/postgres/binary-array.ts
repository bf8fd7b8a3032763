// An array of texts as PostgreSQL reads it in its binary format: bytes are copied once, where the text format would have every
// quote and backslash escaped.

const TEXT_OID = 25;
const HEADER_BYTES = 20;

/** A parameter for `$n::text[]`; the driver sends a Buffer as binary. */
export function binaryTextArray(texts: readonly Uint8Array[]): Buffer {
  const buffer = Buffer.allocUnsafe(texts.reduce((sum, { length }) => sum + 4 + length, HEADER_BYTES));
  let at = buffer.writeInt32BE(1, 0); // dimensions
  at = buffer.writeInt32BE(0, at); // no nulls
  at = buffer.writeInt32BE(TEXT_OID, at);
  at = buffer.writeInt32BE(texts.length, at);
  at = buffer.writeInt32BE(1, at); // first index
  for (const text of texts) {
    at = buffer.writeInt32BE(text.length, at);
    buffer.set(text, at);
    at += text.length;
  }
  return buffer;
}
