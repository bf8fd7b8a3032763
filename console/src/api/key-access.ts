// What a key may do, in a few words.
import type { ApiKey } from '../../../src/client/index.ts';

export function keyAccess({ kind, scopes }: Pick<ApiKey, 'kind' | 'scopes'>): string {
  if (!scopes.includes('*')) return scopes.length === 1 ? scopes[0] : `${scopes.length} operations`;
  return kind === 'browser' ? 'Events, impressions and lists of its project' : 'All operations';
}
