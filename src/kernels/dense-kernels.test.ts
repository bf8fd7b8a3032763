import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import {
  gramOf,
  productOf,
  projectRows,
  rowsTimesDense,
  subtractProducts,
} from '../../test/support/kernel-twins/dense.ts';
import {
  close,
  closeRows,
  eachTime,
  f32,
  ITEMS,
  matrix,
  memory,
  onMemory,
  rowsBack,
  slotted,
  u32,
} from '../../test/support/kernel-twins/harness.ts';

const WIDTH = 8;
const number = fc.oneof(
  { weight: 200, arbitrary: fc.integer({ min: -8, max: 8 }).map((n) => n / 4) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY) },
);
const wide = (rows: number, columns: number) =>
  fc.array(fc.array(number, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows });
const tall = wide(ITEMS, WIDTH);

test('users and items times tall matrices are those of the plain twin', () =>
  eachTime(fc.tuple(matrix, tall), 60, async ([x, dense], on) => {
    const [offsets, items, weights, itemOffsets, entries, owners] = onMemory(x);
    const userScales = x.users.map((_, user) => Math.fround(1 / (1 + user)));
    const itemScales = dense.map((_, item) => Math.fround(1 / (1 + (item % 3))));
    const users = memory.f32(x.users.length * WIDTH);
    const scales = [f32(userScales), f32(itemScales)] as const;
    await on.run('rowsTimesDense', [offsets, items, weights, ...scales, f32(dense.flat()), WIDTH, users], {
      rows: x.users.length,
      scratchBytes: 64,
    });
    const rows = x.users.map(({ items: indices, weights: own }) => ({ indices, weights: own }));
    const expected = rowsTimesDense(rows, userScales, itemScales, dense);
    close([...users], expected.flat());
    const back = memory.f32(ITEMS * WIDTH);
    const entryUsers = u32(Array.from(entries, (place) => owners[place]));
    await on.run(
      'columnsTimesDense',
      [itemOffsets, entries, entryUsers, weights, scales[1], scales[0], users, WIDTH, back, 1, 1],
      { rows: ITEMS, scratchBytes: 64 },
    );
    const columns = dense.map((_, item) => {
      const having = x.users.map((user, n) => ({ n, at: user.items.indexOf(item), user })).filter(({ at }) => at >= 0);
      return { indices: having.map(({ n }) => n), weights: having.map(({ user, at }) => user.weights[at]) };
    });
    if (x.users.length > 0) close([...back], rowsTimesDense(columns, itemScales, userScales, expected).flat());
    return [...users, ...back];
  }));

test('the gram of a tall matrix is that of the plain twin, on and right of its diagonal', () =>
  eachTime(tall, 60, async (dense, on) => {
    const parts = memory.f32(Math.ceil(ITEMS / 5) * WIDTH * WIDTH);
    await on.run('gramOfTall', [f32(dense.flat()), WIDTH, 5, parts], { rows: ITEMS, scratchBytes: 64, chunkRows: 5 });
    const sum = Array.from({ length: WIDTH * WIDTH }, (_, n) =>
      parts.filter((_, at) => at % (WIDTH * WIDTH) === n).reduce((a, b) => a + b, 0),
    );
    const isUpper = (n: number) => n % WIDTH >= Math.floor(n / WIDTH);
    const upper = (values: readonly number[]) => values.filter((_, n) => isUpper(n));
    close(upper(sum), upper(gramOf(dense).flat()));
    return [...parts];
  }));

test('a tall matrix times an upper one is their product', () =>
  eachTime(fc.tuple(tall, wide(WIDTH, WIDTH)), 60, async ([dense, square], on) => {
    const upper = square.map((row, r) => row.map((value, c) => (c < r ? 0 : value)));
    const out = memory.f32(ITEMS * WIDTH);
    await on.run('tallTimesUpper', [f32(dense.flat()), WIDTH, f32(upper.flat()), out], {
      rows: ITEMS,
      scratchBytes: 64,
    });
    close([...out], productOf(dense, upper).flat());
    return [...out];
  }));

test('rows lose the products of their factors and the panel', () =>
  eachTime(fc.tuple(wide(ITEMS, 16), wide(ITEMS, 3), wide(3, 16)), 60, async ([target, factors, panel], on) => {
    const out = f32(target.flat());
    await on.run('subtractProducts', [out, f32(factors.flat()), f32(panel.flat()), 16, 3], {
      rows: ITEMS,
      scratchBytes: 64,
      chunkRows: 5,
    });
    close([...out], subtractProducts(target, factors, panel).flat());
    return [...out];
  }));

test('projected rows are those of the plain twin', () =>
  eachTime(
    fc.tuple(
      fc.array(fc.uniqueArray(fc.integer({ min: 0, max: ITEMS - 1 }), { maxLength: ITEMS }), {
        minLength: ITEMS,
        maxLength: ITEMS,
      }),
      tall,
      fc.integer({ min: 1, max: WIDTH }),
      fc.integer({ min: 1, max: ITEMS }),
    ),
    60,
    async ([near, basis, factors, slot], on) => {
      const source = slotted({ columns: near, values: near.map((row) => row.map(() => 1)) }, ITEMS);
      const rowScales = basis.map((_, i) => 2 ** -(i % 3));
      const columnScales = basis.map((_, j) => 2 ** (j % 4));
      const [counts, columns, values] = [memory.u32(ITEMS), memory.u32(ITEMS * slot), memory.f32(ITEMS * slot)];
      await on.run(
        'projectRows',
        [
          source.counts,
          source.columns,
          ITEMS,
          f32(basis.flat()),
          WIDTH,
          factors,
          f32(rowScales),
          f32(columnScales),
          slot,
          counts,
          columns,
          values,
        ],
        { rows: ITEMS, scratchBytes: ITEMS * 4 + slot * 4 },
      );
      const back = rowsBack(counts, columns, values, slot);
      closeRows(back, projectRows(near, basis, factors, rowScales, columnScales, slot));
      return back;
    },
  ));
