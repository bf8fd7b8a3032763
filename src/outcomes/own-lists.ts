// Checks whether the id of a list was made for an account. Every call that accepts such ids uses it, on any thread.
import type { ReadList } from '../domain/recommendation.ts';
import { RecommendationIds } from './recommendation-id.ts';

/** The data that a thread needs to check the list ids of an account. */
export interface ListKey {
  readonly accountId: string;
  readonly secret: string;
}

let last: { secret: string; ids: RecommendationIds } | null = null;

export function ownLists({ accountId, secret }: ListKey): ReadList {
  // All nodes sign with the same secret, so one instance is enough.
  if (last?.secret !== secret) last = { secret, ids: new RecommendationIds(secret) };
  const { ids } = last;
  return (id) => ids.read(accountId, id);
}
