// Choices by hash, which do not depend on the order in which they are made: the same seed gives the same model.

/** A well-mixed 32-bit hash of two integers. */
export function hash32(a: number, b: number): number {
  let h = (Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)) >>> 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * Returns at most `count` of the candidates, in the order of their hashes: any prefix of the result is a sample too.
 */
export function sampleOf(candidates: readonly number[], count: number, seed: number): number[] {
  const byHash = candidates.map((candidate) => ({ candidate, key: hash32(seed, candidate) }));
  byHash.sort((a, b) => a.key - b.key || a.candidate - b.candidate);
  return byHash.slice(0, count).map(({ candidate }) => candidate);
}
