// Plain twins of the kernels on tall dense matrices and of the blend's steps.
import { keepLargest, type PlainRows } from './rows.ts';

export function rowsTimesDense(
  rows: readonly { indices: readonly number[]; weights: readonly number[] }[],
  rowScales: readonly number[],
  inScales: readonly number[],
  dense: readonly (readonly number[])[],
): number[][] {
  return rows.map(({ indices, weights }, r) =>
    dense[0].map((_, k) => {
      const sum = indices.reduce((total, index, n) => total + weights[n] * inScales[index] * dense[index][k], 0);
      return rowScales[r] * sum;
    }),
  );
}

export function gramOf(tall: readonly (readonly number[])[]): number[][] {
  const width = tall[0].length;
  return Array.from({ length: width }, (_, a) =>
    Array.from({ length: width }, (_, b) => tall.reduce((sum, row) => sum + row[a] * row[b], 0)),
  );
}

export function productOf(a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number[][] {
  return a.map((row) => b[0].map((_, c) => row.reduce((sum, value, k) => sum + value * b[k][c], 0)));
}

export function subtractProducts(
  target: readonly (readonly number[])[],
  factors: readonly (readonly number[])[],
  panel: readonly (readonly number[])[],
): number[][] {
  const products = productOf(factors, panel);
  return target.map((row, r) => row.map((value, c) => value - products[r][c]));
}

/** Row i: (basis_i · basis_j) over the first `factors` dimensions, scaled, for the columns j of near[i]; the `slot` largest. */
export function projectRows(
  near: readonly (readonly number[])[],
  basis: readonly (readonly number[])[],
  factors: number,
  rowScales: readonly number[],
  columnScales: readonly number[],
  slot: number,
): PlainRows {
  const rows: PlainRows = { columns: [], values: [] };
  near.forEach((columns, i) => {
    const products = columns.map((j) => {
      const dot = basis[i].slice(0, factors).reduce((sum, value, k) => sum + value * basis[j][k], 0);
      return dot * columnScales[j];
    });
    keepLargest(rows, columns, products, slot);
    rows.values[i] = rows.values[i].map((value) => value * rowScales[i]);
  });
  return rows;
}
