// What blends are fitted on: for each question the union of every lane's best items, with all lanes' shares of their maximum.
// Weights of the model block do not matter here.
import { askFor, excludedCount, excludedOf, lengthOf, marksOf } from './question';
import { clearScores, inversesOf, placeAfter, questionOf, reachedOf, scoresOf, sumsOf, sumUp } from './score';
import { selectTop } from './select';
import { word } from './vector';

/** Marks an item in `reached` that is a candidate already. */
const PICKED: u32 = 0x80000000;

/**
 * Users [from, to) of a users block: candidates of user u go to place u · slot of outItems and u · slot · lanes of outShares;
 * outCounts[u] says how many. scratch: that of scoring, then at `extra` items f32, perLane u32.
 */
export function collectCandidates(
  model: usize, users: usize, perLane: u32, usedLanes: u32, slot: u32, outCounts: usize, outItems: usize, outShares: usize,
  extra: usize,
  from: u32, to: u32, scratch: usize,
): void {
  const question = questionOf(scratch);
  const reached = reachedOf(model, scratch);
  const picked = scoresOf(model, scratch);
  const values = scratch + extra;
  const chosen = values + (<usize>word(model, 0) << 2);
  const bytes = <usize>word(model, 1) << 2;
  for (let u = from; u < to; u++) {
    askFor(users, u, question);
    const count = sumUp(model, question, scratch);
    let out: u32 = 0;
    for (let e: u32 = 0; e < usedLanes && out < slot; e++) {
      for (let t: u32 = 0; t < count; t++) store<f32>(values + (<usize>t << 2), shareOf(model, e, t, scratch));
      clearHidden(model, question, values, scratch);
      const found = selectTop(values, count, perLane, chosen);
      for (let n: u32 = 0; n < found && out < slot; n++) {
        const t = load<u32>(chosen + (<usize>n << 2));
        const item = reached + (<usize>t << 2);
        if ((load<u32>(item) & PICKED) != 0) continue;
        store<u32>(item, load<u32>(item) | PICKED);
        store<u32>(picked + (<usize>out << 2), t);
        out++;
      }
    }
    const base = <usize>u * <usize>slot;
    memory.fill(outShares + base * bytes, 0, <usize>out * bytes);
    for (let n: u32 = 0; n < out; n++) {
      const t = load<u32>(picked + (<usize>n << 2));
      store<u32>(outItems + ((base + n) << 2), load<u32>(reached + (<usize>t << 2)) & ~PICKED);
      const to = outShares + (base + n) * bytes;
      for (let e: u32 = 0; e < usedLanes; e++) {
        const share = shareOf(model, e, t, scratch);
        if (share > 0) store<f32>(to + (<usize>e << 2), share);
      }
    }
    store<u32>(outCounts + (<usize>u << 2), out);
    clearScores(model, count, scratch);
  }
}

/** A lane's value at a place, as a share of its largest. */
// @ts-ignore: decorator
@inline
function shareOf(model: usize, lane: u32, t: u32, scratch: usize): f32 {
  const place = <usize>t << 2;
  if (lane == word(model, 4)) {
    const item = <usize>(load<u32>(reachedOf(model, scratch) + place) & ~PICKED);
    return load<f32>(<usize>word(model, 5) + (item << 2));
  }
  return load<f32>(sumsOf(model, lane, scratch) + place) * load<f32>(inversesOf(scratch) + (<usize>lane << 2));
}

function clearHidden(model: usize, question: usize, values: usize, scratch: usize): void {
  const marks = marksOf(question);
  for (let l: u32 = 0; marks != 0 && l < lengthOf(question); l++) {
    if (load<u8>(marks + l) != 0) store<f32>(values + (<usize>l << 2), 0);
  }
  for (let n: u32 = 0; n < excludedCount(question); n++) {
    const place = placeAfter(model, load<u32>(excludedOf(question) + (<usize>n << 2)), scratch);
    store<f32>(values + (<usize>(place - 1) << 2), 0);
  }
}
