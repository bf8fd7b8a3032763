// `--scopes PATHS` of `kindred account keys`.
import { InvalidArgumentError } from 'commander';
import { OPERATIONS } from '../client/operations.ts';
import { EVERY_SCOPE, normalScopes } from '../domain/scopes.ts';

/** Segment and RudderStack call it themselves, so the client has no method for it. */
const DELIVERY_PATH = '/ingest/segment';

export const KNOWN_SCOPES: ReadonlySet<string> = new Set([EVERY_SCOPE, DELIVERY_PATH, ...Object.keys(OPERATIONS)]);

export function scopeList(text: string): string[] {
  const scopes = text.split(/[\s,]+/).filter(Boolean);
  const unknown = scopes.find((scope) => !KNOWN_SCOPES.has(scope));
  if (scopes.length === 0 || unknown !== undefined) {
    throw new InvalidArgumentError(
      `${unknown ?? 'It'} is not an operation's path. Use paths such as /recommend-items-to-user, separated by commas, or *.`,
    );
  }
  return [...normalScopes(scopes)];
}
