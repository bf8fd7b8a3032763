// Checks a placement's definition before it is stored, so that no call fails because of it later: every filter is valid,
// conditions of rules only use the user and the context, and pins of one list do not contradict each other.
import { type CompiledFilter, compileFilter } from '../domain/filter/compile-filter.ts';
import {
  MAX_PLACEMENT_BOOSTS,
  MAX_PLACEMENT_PINS,
  type PlacementDefinition,
  type PlacementRule,
} from '../domain/placement.ts';
import { windowProblem } from '../domain/top-list.ts';
import { AppError, invalidField } from '../errors.ts';
import { checkPins } from './pins.ts';

/** `defaultsAt`: where the request has the defaults. */
export function checkDefinition(
  { kind, defaults, rules, fallback }: PlacementDefinition,
  defaultsAt = '/defaults',
): void {
  const lists = [{ ...defaults, where: defaultsAt }, ...rules.map((rule, n) => ({ ...rule, where: `/rules/${n}` }))];
  for (const { filter_query, boosts = [], pins = [], where } of lists) {
    if (filter_query) readable(filter_query, `${where}/filter_query`);
    for (const [n, boost] of boosts.entries()) readable(boost.filter_query, `${where}/boosts/${n}/filter_query`);
    checkPins(pins, `${where}/pins`);
  }
  const problem = windowProblem(kind, defaults.window_hours);
  refuseIf(problem !== null, `${defaultsAt}/window_hours`, problem ?? '');
  const countOf = (field: 'boosts' | 'pins') => lists.reduce((sum, list) => sum + (list[field]?.length ?? 0), 0);
  refuseIf(countOf('boosts') > MAX_PLACEMENT_BOOSTS, '/rules', `has more than ${MAX_PLACEMENT_BOOSTS} boosts in all`);
  refuseIf(countOf('pins') > MAX_PLACEMENT_PINS, '/rules', `has more than ${MAX_PLACEMENT_PINS} pins in all`);
  for (const [n, rule] of rules.entries()) checkRule(rule, `/rules/${n}`);
  for (const [n, { name }] of rules.entries()) {
    const isTwice = rules.findIndex((rule) => rule.name === name) < n;
    refuseIf(isTwice, `/rules/${n}/name`, 'is the name of another rule');
  }
  for (const [n, other] of fallback.entries()) {
    refuseIf(other === kind, `/fallback/${n}`, 'is the kind of the placement itself');
    refuseIf(fallback.indexOf(other) < n, `/fallback/${n}`, 'is named twice');
  }
}

function checkRule({ from_ts, to_ts, only_if }: PlacementRule, where: string): void {
  const isEmpty = from_ts !== undefined && to_ts !== undefined && to_ts <= from_ts;
  refuseIf(isEmpty, `${where}/to_ts`, 'must be after from_ts');
  if (only_if === undefined) return;
  const { needs } = readable(only_if, `${where}/only_if`);
  refuseIf(needs.item, `${where}/only_if`, 'names an attribute of items: it may use user. and context. alone');
}

function readable(text: string, pointer: string): CompiledFilter {
  try {
    return compileFilter(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const errors = [{ pointer, message: error.message }];
    throw new AppError(error.code, `${pointer.slice(1)}: ${error.message}`, { errors, cause: error });
  }
}

function refuseIf(isWrong: boolean, pointer: string, message: string): void {
  if (isWrong) throw invalidField(pointer, message);
}
