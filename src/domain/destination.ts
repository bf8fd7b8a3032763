// Where a job may write its file: an s3:// address below one of those the operator allows. A job of any account may write there.

export interface Destination {
  /** the allowed place, with its settings */
  readonly place: string;
  /** below the place */
  readonly key: string;
}

/** Segments that mean the same to every store: no case, no way up. */
const KEY = /^[a-z0-9_-][a-z0-9_.-]*(\/[a-z0-9_-][a-z0-9_.-]*)*$/;
const MAX_KEY_LENGTH = 400;

/** null: it is not below an allowed place, or its name cannot be used. */
export function destinationOf(address: string, allowed: readonly string[]): Destination | null {
  for (const place of allowed) {
    const [root] = place.split('?');
    const prefix = `${root.replace(/\/+$/, '')}/`;
    if (!address.startsWith(prefix)) continue;
    const key = address.slice(prefix.length);
    if (key.length <= MAX_KEY_LENGTH && KEY.test(key)) return { place, key };
  }
  return null;
}
