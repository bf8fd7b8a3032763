// JSON that clients make and tables keep: limited when it is written, and passed over when it is read and is larger than it could
// be, as rows of the first release may be.
import { AppError } from '../../errors.ts';

/** Maximum size of an algorithm, a dataset's settings, a project or a job, each as JSON. */
export const MAX_OBJECT_BYTES = 65_536;
/** Longer texts are not parsed. Fields added by the service itself never make a job or a model this long. */
const MAX_READ_LENGTH = 1024 * 1024;

export function refuseLargeObject(kind: string, object: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(object));
  if (bytes <= MAX_OBJECT_BYTES) return;
  throw new AppError(
    'INVALID_REQUEST',
    `The ${kind} has ${bytes} bytes as JSON; at most ${MAX_OBJECT_BYTES} are stored. Use shorter or fewer names and values.`,
  );
}

/** Parses the object in a column. */
// biome-ignore lint/suspicious/noExplicitAny: what it is was checked when it was written.
export function storedObject(text: unknown): any {
  const json = String(text);
  return json.length > MAX_READ_LENGTH ? { too_large_to_show: json.length } : JSON.parse(json);
}
