// Masses of items: powers of two, and sums of them by pair. Of a usage block (usage.ts).

/** In memory for the reason given at LOG_TERMS in score.ts. */
export const EXP_TERMS: usize = memory.data<f32>(
  [0.9999992614, 0.6931218146, 0.2402474484, 0.05591786168, 0.009570102029, 12582912, -126],
  16,
);

/** exp(τ z − shift). */
// @ts-ignore: decorator
@inline
export function massOfOne(usage: usize, z: f32): f64 {
  return <f64>powerOfTwo(z * load<f32>(usage, 20) + load<f32>(usage, 24));
}

export function powerOfTwo(y: f32): f32 {
  const p0 = v128.load32_splat(EXP_TERMS);
  const p1 = v128.load32_splat(EXP_TERMS, 4);
  const p2 = v128.load32_splat(EXP_TERMS, 8);
  const p3 = v128.load32_splat(EXP_TERMS, 12);
  const p4 = v128.load32_splat(EXP_TERMS, 16);
  const whole = v128.load32_splat(EXP_TERMS, 20);
  const lowest = v128.load32_splat(EXP_TERMS, 24);
  return f32x4.extract_lane(powersOfTwo(f32x4.splat(y), p0, p1, p2, p3, p4, whole, lowest), 0);
}

/**
 * 2^y of four values, y = n + f with |f| ≤ ½: n goes into the exponent of a polynomial of f. Relative error below 3e-6. Adding
 * 1.5 · 2^23 rounds to a whole number, which then stands in the lowest bits; with that constant less by k the result is
 * 2^(y − k), and `lowest` has to be more by k. A loop reads the constants once.
 */
// @ts-ignore: decorator
@inline
export function powersOfTwo(
  y: v128, p0: v128, p1: v128, p2: v128, p3: v128, p4: v128, whole: v128, lowest: v128,
): v128 {
  y = f32x4.pmax(lowest, y);
  const rounded = f32x4.add(y, whole);
  const f = f32x4.sub(y, f32x4.sub(rounded, whole));
  let p = f32x4.relaxed_madd(p4, f, p3);
  p = f32x4.relaxed_madd(p, f, p2);
  p = f32x4.relaxed_madd(p, f, p1);
  p = f32x4.relaxed_madd(p, f, p0);
  return i32x4.add(p, i32x4.shl(rounded, 23));
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
