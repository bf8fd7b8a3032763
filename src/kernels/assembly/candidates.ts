// What blends are fitted on: for each question the union of every lane's best items, with all lanes' shares of their maximum.
// Weights of the model block do not matter here.
import { selectTop } from './select';
import { accumulate, clearScores, maximaOf, PLACE, scoresOf, sumsOf, touchedOf, word } from './score';

/** Marks in `places`, beside SEEN. */
const PICKED: u32 = 0x40000000;

/**
 * Users [from, to): history at historyOffsets[u] … into history/weights/seen. Candidates go to place u·slot of outItems and
 * u·slot·lanes of outShares; outCounts[u] says how many. scratch: scoring scratch, then items f32, perLane u32.
 */
export function collectCandidates(
  model: usize, historyOffsets: usize, history: usize, weights: usize, seen: usize, excludedOffsets: usize, excluded: usize,
  perLane: u32, usedLanes: u32, slot: u32, outCounts: usize, outItems: usize, outShares: usize, extra: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const items = word(model, 0);
  const lanes = word(model, 1);
  const withSeen = word(model, 3) != 0;
  const touched = touchedOf(scratch, items);
  const picked = scoresOf(scratch, items);
  const maxima = maximaOf(scratch, items);
  const sums = sumsOf(scratch, items, lanes);
  const values = scratch + extra;
  const chosen = values + (<usize>items << 2);
  const bytes = <usize>lanes << 2;
  for (let u = from; u < to; u++) {
    const start = load<u32>(historyOffsets + (<usize>u << 2));
    const length = load<u32>(historyOffsets + (<usize>(u + 1) << 2)) - start;
    const firstExcluded = load<u32>(excludedOffsets + (<usize>u << 2));
    const lastExcluded = load<u32>(excludedOffsets + (<usize>(u + 1) << 2));
    const count = accumulate(
      model, length, history + (<usize>start << 2), weights + (<usize>start << 2), seen + start,
      lastExcluded - firstExcluded, excluded + (<usize>firstExcluded << 2), scratch,
    );
    let out: u32 = 0;
    for (let e: u32 = 0; e < usedLanes && out < slot; e++) {
      const inverse = load<f32>(maxima + (<usize>e << 2));
      let sum = sums + (<usize>e << 2);
      for (let t: u32 = 0; t < count; t++, sum += bytes) store<f32>(values + (<usize>t << 2), load<f32>(sum) * inverse);
      // The history's items have the first places.
      if (!withSeen) {
        for (let l: u32 = 0; l < length; l++) {
          if (load<u8>(seen + start + l) != 0) store<f32>(values + (<usize>l << 2), 0);
        }
      }
      for (let n = firstExcluded; n < lastExcluded; n++) {
        const item = <usize>load<u32>(excluded + (<usize>n << 2));
        const place = load<u32>(scratch + (item << 2)) & PLACE;
        store<f32>(values + (<usize>(place - 1) << 2), 0);
      }
      const found = selectTop(values, count, perLane, chosen);
      for (let n: u32 = 0; n < found && out < slot; n++) {
        const t = load<u32>(chosen + (<usize>n << 2));
        const place = scratch + (<usize>load<u32>(touched + (<usize>t << 2)) << 2);
        if ((load<u32>(place) & PICKED) != 0) continue;
        store<u32>(place, load<u32>(place) | PICKED);
        store<u32>(picked + (<usize>out << 2), t);
        out++;
      }
    }
    const base = <usize>u * <usize>slot;
    for (let n: u32 = 0; n < out; n++) {
      const t = <usize>load<u32>(picked + (<usize>n << 2));
      store<u32>(outItems + ((base + n) << 2), load<u32>(touched + (t << 2)));
      const row = sums + t * bytes;
      const to = outShares + (base + n) * bytes;
      for (let k: usize = 0; k < bytes; k += 16) {
        v128.store(to + k, f32x4.pmax(f32x4.splat(0), f32x4.mul(v128.load(row + k), v128.load(maxima + k))));
      }
    }
    store<u32>(outCounts + (<usize>u << 2), out);
    clearScores(model, count, scratch);
  }
}
