// Scoring in bulk: the best items of many users.
import { clearScores, scoreHistory, word } from './score';
import { topItems } from './top-items';

/** Users [from, to): history at historyOffsets[u] … into history/weights/seen; the answer goes to place u·limit. */
export function recommendUsers(
  model: usize, historyOffsets: usize, history: usize, weights: usize, seen: usize, limit: u32, excludeSeen: u32,
  outCounts: usize, outItems: usize, outScores: usize,
  from: u32, to: u32, scratch: usize,
): void {
  for (let u = from; u < to; u++) {
    const start = load<u32>(historyOffsets + (<usize>u << 2));
    const length = load<u32>(historyOffsets + (<usize>(u + 1) << 2)) - start;
    const count = scoreHistory(
      model, length, history + (<usize>start << 2), weights + (<usize>start << 2), seen + start, scratch,
    );
    const at = (<usize>u * <usize>limit) << 2;
    const found = topItems(
      model, count, limit, 0, word(model, 6), word(model, 0), excludeSeen, outItems + at, outScores + at, scratch,
    );
    store<u32>(outCounts + (<usize>u << 2), found);
    clearScores(model, count, scratch);
  }
}
