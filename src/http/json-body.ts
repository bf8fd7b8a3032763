// Parses bytes to a JSON value within limits. The shape is checked before anything is built, so a kilobyte that inflates to
// millions of brackets costs one pass over its bytes.
import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors.ts';
import type { BodyLimits } from './body-class.ts';

export const MAX_NESTING = 32;

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('[]{}');

export function parseJson(body: Buffer, limits: Pick<BodyLimits, 'maxValues'>): unknown {
  const bytes = withoutMark(body);
  if (bytes.length === 0) throw new AppError('INVALID_JSON', 'The body is empty.');
  // Lenient decoding would store characters the client did not send.
  if (!isUtf8(bytes)) throw new AppError('INVALID_JSON', 'The body is not valid UTF-8.');
  checkShape(bytes, limits.maxValues);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new AppError('INVALID_JSON', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

export function withoutMark(bytes: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK;
  return bytes.length >= length && bytes.compare(BYTE_ORDER_MARK, 0, length, 0, length) === 0
    ? bytes.subarray(length)
    : bytes;
}

/** Rejects input that is nested too deeply or has too many values, whether or not it is valid JSON. */
function checkShape(bytes: Buffer, maxValues: number): void {
  let depth = 0;
  let valuesLeft = maxValues;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) valuesLeft--;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      valuesLeft--;
      depth++;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    else continue;
    if (depth > MAX_NESTING) {
      throw new AppError('INVALID_REQUEST', `The body is nested more than ${MAX_NESTING} levels deep.`);
    }
    if (valuesLeft < 0) {
      throw new AppError('BODY_TOO_LARGE', `The body has more than ${maxValues} values, the limit of this call.`);
    }
  }
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
