// Places where jobs may write or read files: s3:// addresses below those the operator allows. Jobs of every account may use them.

export interface Destination {
  /** the allowed place, with its settings */
  readonly place: string;
  /** the path below that place */
  readonly key: string;
}

/** Segments that mean the same to every store: no case, no way up. */
const KEY = /^[a-z0-9_-][a-z0-9_.-]*(\/[a-z0-9_-][a-z0-9_.-]*)*$/;
const MAX_KEY_LENGTH = 400;
const MAX_SOURCE_KEY_LENGTH = 1000;

/** Returns null if the address is not below an allowed place, or its name cannot be used. */
export function destinationOf(address: string, allowed: readonly string[]): Destination | null {
  return below(address, allowed, (key) => key.length <= MAX_KEY_LENGTH && KEY.test(key));
}

/**
 * Returns null if the address is not below an allowed place, or names no file. Names were chosen by others, so they may have any
 * characters.
 */
export function sourceOf(address: string, allowed: readonly string[]): Destination | null {
  return below(address, allowed, (key) => key.length <= MAX_SOURCE_KEY_LENGTH && isPath(key));
}

/** Some stores resolve "..", and no store has a file whose name ends with a slash. */
function isPath(key: string): boolean {
  return !/\p{Cc}/u.test(key) && key.split('/').every((segment) => segment !== '' && !/^\.+$/.test(segment));
}

function below(address: string, allowed: readonly string[], isKey: (key: string) => boolean): Destination | null {
  for (const place of allowed) {
    const [root] = place.split('?');
    const prefix = `${root.replace(/\/+$/, '')}/`;
    if (!address.startsWith(prefix)) continue;
    const key = address.slice(prefix.length);
    if (isKey(key)) return { place, key };
  }
  return null;
}
