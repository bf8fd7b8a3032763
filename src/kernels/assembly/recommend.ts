// Scoring in bulk: the best items of many users.
import { bestRanked } from './rank';
import { clearScores, scoreHistory, word } from './score';
import { topItems } from './top-items';

/**
 * Users [from, to): history at historyOffsets[u] … into history/weights/seen (and own, if not 0), further excluded items at excludedOffsets[u] …;
 * the best items go to place u·limit. Without a ranker (0) they are those of the blend, else it orders the blend's best
 * `candidates`. scratch: scoring scratch, then at `extra` what `bestRanked` needs.
 */
export function recommendUsers(
  model: usize, ranker: usize, candidates: u32, historyOffsets: usize, history: usize, weights: usize, seen: usize, own: usize,
  excludedOffsets: usize, excluded: usize, limit: u32, excludeSeen: u32,
  outCounts: usize, outItems: usize, outScores: usize, extra: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const order = word(model, 6);
  const items = word(model, 0);
  for (let u = from; u < to; u++) {
    const start = load<u32>(historyOffsets + (<usize>u << 2));
    const length = load<u32>(historyOffsets + (<usize>(u + 1) << 2)) - start;
    const first = load<u32>(excludedOffsets + (<usize>u << 2));
    const ownItems = history + (<usize>start << 2);
    const ownWeights = weights + (<usize>start << 2);
    const count = scoreHistory(
      model, length, ownItems, ownWeights, seen + start,
      load<u32>(excludedOffsets + (<usize>(u + 1) << 2)) - first, excluded + (<usize>first << 2), scratch,
    );
    const ownNumbers = own == 0 ? 0 : own + (<usize>start << 4);
    const at = (<usize>u * <usize>limit) << 2;
    const found = ranker == 0
      ? topItems(model, count, limit, 0, order, items, excludeSeen, outItems + at, outScores + at, scratch)
      : bestRanked(
          model, ranker, candidates, length, ownItems, ownWeights, ownNumbers, count, limit, 0, order, items, excludeSeen,
          outItems + at, outScores + at, scratch + extra, scratch,
        );
    store<u32>(outCounts + (<usize>u << 2), found);
    clearScores(model, count, scratch);
  }
}
