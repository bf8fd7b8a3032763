// The work of a blocked elimination: rows minus multiples of the rows of a panel.

const TILE_BYTES: usize = 64;

/**
 * target[r] −= Σ_b factors[r][b] · panel[b] for the rows [from, to). Rows are `stride` floats long, a multiple of 16; `block`
 * factors a row. Two rows and sixteen columns are held in registers while the panel runs by.
 */
export function subtractProducts(
  target: usize, factors: usize, panel: usize, stride: u32, block: u32, from: u32, to: u32, scratch: usize,
): void {
  const bytes = <usize>stride << 2;
  const factorBytes = <usize>block << 2;
  for (let r = from; r < to; r += 2) {
    const first = target + <usize>r * bytes;
    // The last of an odd number of rows goes as a pair with itself.
    const second = r + 1 < to ? first + bytes : first;
    const firstFactors = factors + <usize>r * factorBytes;
    const secondFactors = r + 1 < to ? firstFactors + factorBytes : firstFactors;
    for (let k: usize = 0; k < bytes; k += TILE_BYTES) {
      let a0 = v128.load(first + k);
      let a1 = v128.load(first + k, 16);
      let a2 = v128.load(first + k, 32);
      let a3 = v128.load(first + k, 48);
      let b0 = v128.load(second + k);
      let b1 = v128.load(second + k, 16);
      let b2 = v128.load(second + k, 32);
      let b3 = v128.load(second + k, 48);
      let row = panel + k;
      for (let n: usize = 0; n < factorBytes; n += 4, row += bytes) {
        const p0 = v128.load(row);
        const p1 = v128.load(row, 16);
        const p2 = v128.load(row, 32);
        const p3 = v128.load(row, 48);
        const a = v128.load32_splat(firstFactors + n);
        a0 = f32x4.relaxed_nmadd(a, p0, a0);
        a1 = f32x4.relaxed_nmadd(a, p1, a1);
        a2 = f32x4.relaxed_nmadd(a, p2, a2);
        a3 = f32x4.relaxed_nmadd(a, p3, a3);
        const b = v128.load32_splat(secondFactors + n);
        b0 = f32x4.relaxed_nmadd(b, p0, b0);
        b1 = f32x4.relaxed_nmadd(b, p1, b1);
        b2 = f32x4.relaxed_nmadd(b, p2, b2);
        b3 = f32x4.relaxed_nmadd(b, p3, b3);
      }
      v128.store(first + k, a0);
      v128.store(first + k, a1, 16);
      v128.store(first + k, a2, 32);
      v128.store(first + k, a3, 48);
      v128.store(second + k, b0);
      v128.store(second + k, b1, 16);
      v128.store(second + k, b2, 32);
      v128.store(second + k, b3, 48);
    }
  }
}
