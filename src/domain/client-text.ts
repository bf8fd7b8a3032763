// Texts chosen by the client: ids, names, attribute names. Lengths count Unicode code points, as JSON Schema does.

const MAX_CLIENT_ID_LENGTH = 256;

/** Control characters (C0, DEL, C1) or a surrogate without its partner. */
const UNCLEAN = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/u;

/** The problem with the id, worded to follow its field's name, or null. */
export function clientIdProblem(value: unknown): string | null {
  if (typeof value !== 'string') return value === undefined || value === null ? 'is missing' : 'must be a string';
  if (value.length === 0) return 'is empty';
  if (value.length > MAX_CLIENT_ID_LENGTH && isLongerThan(value, MAX_CLIENT_ID_LENGTH)) {
    return `has more than ${MAX_CLIENT_ID_LENGTH} characters`;
  }
  return UNCLEAN.test(value) ? 'has control characters or broken Unicode' : null;
}

function isLongerThan(text: string, limit: number): boolean {
  if (text.length > 2 * limit) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > limit;
}
