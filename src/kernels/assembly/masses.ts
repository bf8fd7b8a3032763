// Masses of items: powers of two, and sums of them by pair. Of a usage block (usage.ts).

/** The series of exp(x log 2); then 1.5 · 2^52 and the ends of the range. In memory for the reason given at LOG_TERMS. */
const TERMS: usize = memory.data<f64>(
  [
    1, 0.6931471805599453, 0.2402265069591007, 0.05550410866482158, 0.009618129107628477, 0.0013333558146428443,
    0.0001540353039338161, 6755399441055744, -1000, 1000,
  ],
  16,
);

// @ts-ignore: decorator
@inline
function term(n: usize): v128 {
  return v128.load64_splat(TERMS + (n << 3));
}

/** exp(τ z − shift). */
// @ts-ignore: decorator
@inline
export function massOf(usage: usize, z: f32): f64 {
  return f64x2.extract_lane(massesOf(usage, f64x2.splat(<f64>z)), 0);
}

/**
 * The same of two scores: 2^y, y = n + f with |f| ≤ ½, where n goes into the exponent of a polynomial of f. Relative error below
 * 2e-7, as that of a score. Adding 1.5 · 2^52 rounds to a whole number, which is then in the lowest bits.
 */
// @ts-ignore: decorator
@inline
export function massesOf(usage: usize, z: v128): v128 {
  const linear = f64x2.add(f64x2.mul(z, v128.load64_splat(usage, 80)), v128.load64_splat(usage, 88));
  const y = f64x2.pmin(f64x2.pmax(linear, term(8)), term(9));
  const rounded = f64x2.add(y, term(7));
  const f = f64x2.sub(y, f64x2.sub(rounded, term(7)));
  let p = f64x2.relaxed_madd(term(6), f, term(5));
  p = f64x2.relaxed_madd(p, f, term(4));
  p = f64x2.relaxed_madd(p, f, term(3));
  p = f64x2.relaxed_madd(p, f, term(2));
  p = f64x2.relaxed_madd(p, f, term(1));
  p = f64x2.relaxed_madd(p, f, term(0));
  return i64x2.add(p, i64x2.shl(rounded, 52));
}

// @ts-ignore: decorator
@inline
export function addMass(masses: usize, pair: u32, mass: f64): void {
  const cell = masses + (<usize>pair << 3);
  store<f64>(cell, load<f64>(cell) + mass);
}

/** Adds a mass to each of the pairs [at, end). */
// @ts-ignore: decorator
@inline
export function addToPairs(pairs: usize, at: u32, end: u32, mass: f64, masses: usize): void {
  for (; at < end; at++) addMass(masses, load<u32>(pairs + (<usize>at << 2)), mass);
}
