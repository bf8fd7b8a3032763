// Plain twins of the row kernels, written for reading: what the tests compare the kernels with. f32 where the kernels store
// f32, otherwise no care for speed.

export interface PlainRows {
  columns: number[][];
  values: number[][];
}

/** Places of the k largest positive values, ascending; of equal ones the first win. NaN counts as nothing. */
export function selectTop(values: readonly number[], k: number): number[] {
  return values
    .map((value, place) => ({ value, place }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || a.place - b.place)
    .slice(0, k)
    .map(({ place }) => place)
    .sort((a, b) => a - b);
}

export interface PlainMatrix {
  /** items and weights of each user, oldest first */
  users: { items: number[]; weights: number[] }[];
  /** rows of items beyond are not made */
  itemCount: number;
}

/** The users of each item, and where in their lists it is. */
function placesOf({ users, itemCount }: PlainMatrix): { user: number; at: number }[][] {
  const places: { user: number; at: number }[][] = Array.from({ length: itemCount }, () => []);
  users.forEach(({ items }, user) => {
    items.forEach((item, at) => {
      places[item]?.push({ user, at });
    });
  });
  return places;
}

/** Sums of a row in the order in which items are first touched, as the kernels keep them. */
class RowSums {
  readonly sums = new Map<number, number>();
  add(item: number, amount: number): void {
    this.sums.set(item, Math.fround((this.sums.get(item) ?? 0) + amount));
  }
}

/** Sums in fixed point (src/dataset/fixed-point.ts): whole numbers, exact. */
class FixedSums {
  readonly sums = new Map<number, bigint>();
  add(item: number, scale: number, weight: number, other: number): void {
    const scaled = (fixed(weight) * BigInt(scale)) >> 12n;
    this.sums.set(item, (this.sums.get(item) ?? 0n) + ((scaled * fixed(other)) >> 16n) + 1n);
  }
  ascending(): number[] {
    return [...this.sums.keys()].sort((a, b) => a - b);
  }
  value(item: number): number {
    return asFloat(this.sums.get(item) ?? 0n);
  }
}

const fixed = (weight: number): bigint => BigInt(Math.floor(weight * 65536));
const asFloat = (sum: bigint): number => Math.fround(Number(sum)) / 2 ** 24;

/** Row i: Σ_u s_u x_ui x_uj over j ≠ i, the `slot` largest; and the diagonal. Scales in units of 2^−20. */
export function cooccurrenceRows(matrix: PlainMatrix, scales: readonly number[], slot: number) {
  const rows: PlainRows = { columns: [], values: [] };
  const diagonal: number[] = [];
  placesOf(matrix).forEach((places, i) => {
    const row = new FixedSums();
    for (const { user, at } of places) {
      const { items, weights } = matrix.users[user];
      items.forEach((j, k) => {
        row.add(j, scales[user], weights[at], weights[k]);
      });
    }
    diagonal.push(row.value(i));
    row.sums.delete(i);
    const columns = row.ascending();
    keepLargest(
      rows,
      columns,
      columns.map((j) => row.value(j)),
      slot,
    );
  });
  return { rows, diagonal };
}

/** `forward` and `backward` in units of 2^−20. Values times the column's scale, and sums of whole rows. */
export function transitionRows(
  matrix: PlainMatrix,
  shape: { forward: readonly number[]; backward: readonly number[] },
  columnScales: readonly number[],
  slot: number,
): PlainRows & { sums: number[] } {
  const rows = { columns: [], values: [], sums: [] } as PlainRows & { sums: number[] };
  const maxLag = shape.forward.length - 1;
  placesOf(matrix).forEach((places, i) => {
    const row = new FixedSums();
    for (const { user, at } of places) {
      const { items, weights } = matrix.users[user];
      for (let lag = 1; lag <= maxLag && at + lag < items.length; lag++) {
        if (shape.forward[lag] !== 0) row.add(items[at + lag], shape.forward[lag], weights[at], weights[at + lag]);
      }
      for (let lag = 1; lag <= maxLag && at - lag >= 0; lag++) {
        if (shape.backward[lag] !== 0) row.add(items[at - lag], shape.backward[lag], weights[at], weights[at - lag]);
      }
    }
    row.sums.delete(i);
    const columns = row.ascending();
    rows.sums[i] = asFloat([...row.sums.values()].reduce((sum, value) => sum + value, 0n));
    const values = columns.map((j) => Math.fround(row.value(j) * Math.fround(columnScales[j])));
    keepLargest(rows, columns, values, slot);
  });
  return rows;
}

/** The users of the matrix are visits; `lastVisits[v]`: the last visit of the user of visit v. Weights do not count. */
export function visitRows(
  matrix: PlainMatrix,
  rowItems: readonly number[],
  visits: { lastVisits: readonly number[]; scales: readonly number[]; omegas: readonly number[] },
  columnScales: readonly number[],
  slot: number,
): PlainRows {
  const rows: PlainRows = { columns: [], values: [] };
  const places = placesOf(matrix);
  for (const i of rowItems) {
    const row = new RowSums();
    for (const { user: visit } of places[i]) {
      for (let lag = 0; lag < visits.omegas.length && visit + lag <= visits.lastVisits[visit]; lag++) {
        const omega = Math.fround(visits.omegas[lag] * visits.scales[visit + lag]);
        if (omega !== 0) for (const j of matrix.users[visit + lag].items) row.add(j, omega);
      }
    }
    row.sums.delete(i);
    const columns = [...row.sums.keys()];
    keepLargest(
      rows,
      columns,
      columns.map((j) => Math.fround(row.sums.get(j)! * columnScales[j])),
      slot,
    );
  }
  return rows;
}

export function scaleSelectRows(
  source: PlainRows,
  rowScales: readonly number[],
  columnScales: readonly number[],
  slot: number,
): PlainRows {
  const rows: PlainRows = { columns: [], values: [] };
  source.columns.forEach((columns, i) => {
    keepLargest(
      rows,
      columns,
      columns.map((j, k) => Math.fround(source.values[i][k] * columnScales[j])),
      slot,
    );
    rows.values[i] = rows.values[i].map((value) => value * rowScales[i]);
  });
  return rows;
}

export function keepLargest(
  rows: PlainRows,
  columns: readonly number[],
  values: readonly number[],
  slot: number,
): void {
  const places = selectTop(values, slot);
  rows.columns.push(places.map((place) => columns[place]));
  rows.values.push(places.map((place) => values[place]));
}

/** Solves (G[N,N] + λ I) w = rhs[N] by elimination, N the `neighbors` largest of rhs · pick. */
export function localRidgeRow(
  gram: readonly (readonly number[])[],
  rhs: { columns: readonly number[]; values: readonly number[] },
  pick: readonly number[],
  neighbors: number,
  lambda: number,
): { columns: number[]; values: number[] } {
  const places = selectTop(
    rhs.columns.map((i, k) => Math.fround(rhs.values[k] * pick[i])),
    neighbors,
  );
  const columns = places.map((place) => rhs.columns[place]);
  const n = columns.length;
  const a = columns.map((i) => columns.map((j) => gram[i][j] + (i === j ? lambda : 0)));
  const x = places.map((place) => rhs.values[place]);
  for (let p = 0; p < n; p++) {
    for (let r = p + 1; r < n; r++) {
      const factor = a[r][p] / a[p][p];
      for (let c = p; c < n; c++) a[r][c] -= factor * a[p][c];
      x[r] -= factor * x[p];
    }
  }
  for (let p = n - 1; p >= 0; p--) {
    for (let c = p + 1; c < n; c++) x[p] -= a[p][c] * x[c];
    x[p] /= a[p][p];
  }
  return { columns, values: x };
}
