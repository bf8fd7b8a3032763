// Scoring in bulk: the best items of many users.
import { askFor } from './question';
import { bestRanked } from './rank';
import { clearScores, questionOf, sumUp } from './score';
import { limitOf, topItems } from './top-items';

/**
 * Users [from, to) of a users block: the best items of user u go to place u · limit. Without a ranker (0) they are those of the
 * blend, else the ranker orders the blend's best. scratch: that of scoring, then at `extra` what `bestRanked` needs.
 */
export function recommendUsers(
  model: usize, ranker: usize, users: usize, search: usize, outCounts: usize, outItems: usize, outScores: usize, extra: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const question = questionOf(scratch);
  const limit = limitOf(search);
  for (let u = from; u < to; u++) {
    askFor(users, u, question);
    const count = sumUp(model, question, scratch);
    const at = (<usize>u * <usize>limit) << 2;
    const found = ranker == 0
      ? topItems(model, question, count, limit, search, outItems + at, outScores + at, scratch)
      : bestRanked(model, ranker, question, count, search, outItems + at, outScores + at, scratch + extra, scratch);
    store<u32>(outCounts + (<usize>u << 2), found);
    clearScores(model, count, scratch);
  }
}
