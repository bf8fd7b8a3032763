// How well two groupings of the same things agree: 1 the same, about 0 by chance (Hubert and Arabie, 1985).

export function adjustedRandIndex(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const cells = new Map<string, number>();
  const rows = new Map<number, number>();
  const columns = new Map<number, number>();
  for (let index = 0; index < a.length; index++) {
    const cell = `${a[index]} ${b[index]}`;
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
    rows.set(a[index], (rows.get(a[index]) ?? 0) + 1);
    columns.set(b[index], (columns.get(b[index]) ?? 0) + 1);
  }
  const pairs = (counts: Iterable<number>) => {
    let sum = 0;
    for (const count of counts) sum += (count * (count - 1)) / 2;
    return sum;
  };
  const together = pairs(cells.values());
  const inA = pairs(rows.values());
  const inB = pairs(columns.values());
  const expected = (inA * inB) / ((a.length * (a.length - 1)) / 2);
  const most = (inA + inB) / 2;
  return most === expected ? 1 : (together - expected) / (most - expected);
}
