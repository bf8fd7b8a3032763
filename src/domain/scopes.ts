// The scopes of a key or token: operation paths, or "*" for all of them. A key never grants more than its creator had, and a
// token never more than its key.

export const EVERY_SCOPE = '*';

/** Paths of operations, or `*` alone. */
export type Scopes = readonly string[];

/** Removes duplicates. `*` replaces all others, because it includes them. */
export function normalScopes(scopes: Scopes): Scopes {
  return scopes.includes(EVERY_SCOPE) ? [EVERY_SCOPE] : [...new Set(scopes)];
}

/** The first of the wanted scopes that is not granted. */
export function scopeBeyond(granted: Scopes, wanted: Scopes): string | undefined {
  return granted.includes(EVERY_SCOPE) ? undefined : wanted.find((scope) => !granted.includes(scope));
}
