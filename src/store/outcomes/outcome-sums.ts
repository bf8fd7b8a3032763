// The columns of counters and of sums over users, and how a change is added to them.
//
// A sum of squares has two columns: multiples of SQUARE_STEP are in `…_high`, the rest is in the other. In one double, a single
// wrong value of 1e12 (its square is 1e24) would round away the squares of ordinary values, and they would not come back when the
// wrong value is taken back.
import { OUTCOME_FIGURES, type OutcomeFigures, type VariantUsers } from '../outcome-store.ts';

/** Multiples of it are exact in a double up to 1.5e29, the squares of 150,000 values of 1e12. */
const SQUARE_STEP = 2 ** 44;
/** Versions that counted values of any size may have stored an infinite sum. */
const MAX_SUM = '1e300';

export interface Counters extends OutcomeFigures {
  value_squares_high: number;
  assisted_value_squares_high: number;
}

export interface UserSums extends Omit<VariantUsers, 'variant'> {
  value_squares_high: number;
}

export const COUNTERS = [...OUTCOME_FIGURES, 'value_squares_high', 'assisted_value_squares_high'] as readonly (
  | keyof OutcomeFigures
  | keyof Counters
)[];
export const USER_FIGURES = [
  'users',
  'clicked_users',
  'target_users',
  'value_users',
  'value_sum',
  'value_squares',
] as readonly (keyof Omit<VariantUsers, 'variant'>)[];
export const USER_SUMS = [...USER_FIGURES, 'value_squares_high'] as readonly (keyof UserSums)[];

/** The square of a value for both columns. The rest of an infinite one is NaN. */
export function squareOf(value: number): { high: number; rest: number } {
  const square = value ** 2;
  const high = Math.floor(square / SQUARE_STEP) * SQUARE_STEP;
  return { high, rest: square - high };
}

const isSquares = (name: string): boolean => name.endsWith('squares');

/** SQL of a figure. `column`: SQL of a column, or of its sum over rows. */
export const figureSql = (name: string, column: (name: string) => string): string =>
  isSquares(name) ? `${column(name)} + ${column(`${name}_high`)}` : column(name);

/** How many values are in each sum of values. */
const VALUES_IN: Readonly<Record<string, string>> = {
  value: 'targets',
  value_squares: 'targets',
  value_squares_high: 'targets',
  assisted_value: 'assisted_targets',
  assisted_value_squares: 'assisted_targets',
  assisted_value_squares_high: 'assisted_targets',
};
const USERS_IN: Readonly<Record<string, string>> = {
  value_sum: 'value_users',
  value_squares: 'value_users',
  value_squares_high: 'value_users',
};

/** SQL of a column's value before a change, and of its change. */
interface Change {
  stored(name: string): string;
  change(name: string): string;
}

/** The multiples of SQUARE_STEP in a rest, which move to the other column. */
const carrySql = (rest: string): string =>
  `CASE WHEN abs(${rest}) >= ${SQUARE_STEP} AND abs(${rest}) < ${MAX_SUM} THEN round(${rest} / ${SQUARE_STEP}) * ${SQUARE_STEP} ELSE 0 END`;

function sumSql(name: string, { stored, change }: Change): string {
  const before = stored(name);
  if (isSquares(name)) return `${before} - ${carrySql(before)} + ${change(name)}`;
  if (!name.endsWith('_high')) return `${before} + ${change(name)}`;
  return `${before} + ${carrySql(stored(name.slice(0, -'_high'.length)))} + ${change(name)}`;
}

/** SQL that adds to columns. Sums of doubles keep a residue of what is taken back, so a sum without values is set to 0. */
function addSql(names: readonly string[], countOf: Readonly<Record<string, string>>, change: Change): string {
  const added = names.map((name) =>
    name in countOf
      ? `CASE WHEN ${sumSql(countOf[name], change)} = 0 THEN 0 ELSE ${sumSql(name, change)} END`
      : sumSql(name, change),
  );
  return names.map((name, at) => `${name} = ${added[at]}`).join(', ');
}

export const addCountersSql = (change: Change): string => addSql(COUNTERS, VALUES_IN, change);
export const addUserSumsSql = (change: Change): string => addSql(USER_SUMS, USERS_IN, change);
