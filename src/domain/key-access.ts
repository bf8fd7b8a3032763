// What a key may do, in a few words.
import { EVERY_SCOPE, type Scopes } from './scopes.ts';

export function keyAccess({ kind, scopes }: { kind: string; scopes: Scopes }): string {
  if (!scopes.includes(EVERY_SCOPE)) return scopes.length === 1 ? scopes[0] : `${scopes.length} operations`;
  return kind === 'browser' ? 'Events, impressions and lists of its project' : 'All operations';
}
