// The second model of a deployment, the ranker, reorders the best of the first, the generator. Of a whole catalog the ranker's
// taste would be all that counts, so it gets the generator's best only.
import type { UserSignal } from '../history/user-signal.ts';
import type { Boost } from '../scoring/boost.ts';
import type { Recommender, ScoredItem } from '../scoring/recommender.ts';

const FEWEST_CANDIDATES = 50;
const MOST_CANDIDATES = 500;
const CANDIDATES_PER_RESULT = 10;
const CATALOG_SHARE = 1 / 4;

/** Number of the generator's best items that the ranker reorders: see docs/concepts.md. */
export function rankerCandidates(limit: number, catalogItems: number): number {
  const wanted = Math.min(MOST_CANDIDATES, Math.max(FEWEST_CANDIDATES, CANDIDATES_PER_RESULT * limit));
  return Math.max(2 * limit, Math.min(wanted, Math.floor(catalogItems * CATALOG_SHARE)));
}

/** The ranker's order of the generator's items, cut to the limit; the reasons stay the generator's. */
export function rerank(
  ranker: Recommender,
  user: UserSignal,
  found: readonly ScoredItem[],
  { limit, boosts, discovers }: { limit: number; boosts: readonly Boost[]; discovers: boolean },
): readonly ScoredItem[] {
  const scores = ranker.scoreCandidates(
    user,
    found.map(({ item }) => item),
    { boosts, discovers },
  );
  const ranked = found.map((scored, n) => ({ ...scored, score: scores[n] }));
  return ranked.sort((a, b) => b.score - a.score).slice(0, limit);
}
