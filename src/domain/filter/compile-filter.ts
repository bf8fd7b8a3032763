// Compiles a filter once for many calls: `compileFilter(text)` checks it and lists what it needs; `fold` replaces what a call
// knows by its value. A filter that needs nothing folds to the same object every time.
import type { Filter, FilterExpression, WrittenFilter } from './filter.ts';
import { type FilterInputs, foldFilter } from './fold-filter.ts';
import { printFilter } from './print-filter.ts';
import { readFilter } from './read-filter.ts';

/** The inputs of a filter besides constants. */
export interface FilterNeeds {
  /** whether it uses attributes of items */
  readonly item: boolean;
  readonly now: boolean;
  /** names of the user's attributes it uses: fetch the user only if there are any */
  readonly user: ReadonlySet<string>;
  readonly context: ReadonlySet<string>;
  readonly params: ReadonlySet<string>;
}

export interface FoldedFilter {
  readonly filter: Filter;
  /** equal for filters with the same meaning: for use in caches */
  readonly key: string;
}

export interface CompiledFilter {
  readonly text: string;
  readonly needs: FilterNeeds;
  /** Throws INVALID_FILTER with the position where an input is missing or of the wrong type. */
  fold(inputs: FilterInputs): FoldedFilter;
}

/** Throws INVALID_FILTER with the position. */
export function compileFilter(text: string): CompiledFilter {
  const written = readFilter(text);
  const needs = needsOf(written);
  const fold = (inputs: FilterInputs): FoldedFilter => {
    const filter = foldFilter(written, inputs);
    return { filter, key: printFilter(filter) };
  };
  const inputs = needs.user.size + needs.context.size + needs.params.size;
  if (inputs > 0 || needs.now) return { text, needs, fold };
  const folded = fold({ nowMs: 0 });
  return { text, needs, fold: () => folded };
}

function needsOf(written: WrittenFilter): FilterNeeds {
  const needs = {
    item: false,
    now: false,
    user: new Set<string>(),
    context: new Set<string>(),
    params: new Set<string>(),
  };
  const note = (expression: FilterExpression): void => {
    switch (expression.kind) {
      case 'attribute':
        needs.item = true;
        break;
      case 'scoped':
        needs[expression.scope].add(expression.name);
        break;
      case 'param':
        needs.params.add(expression.name);
        break;
      case 'now':
        needs.now = true;
        break;
      case 'time':
        note(expression.of);
        break;
      case 'distance':
        expression.of.forEach(note);
        break;
      case 'arithmetic':
        note(expression.left);
        note(expression.right);
    }
  };
  const walk = (part: WrittenFilter): void => {
    switch (part.kind) {
      case 'and':
      case 'or':
        part.operands.forEach(walk);
        break;
      case 'not':
        walk(part.operand);
        break;
      case 'compare':
        note(part.left);
        note(part.right);
        break;
      case 'in':
        note(part.left);
        part.values.forEach(note);
        break;
      case 'contains':
        note(part.left);
        note(part.value);
        break;
      case 'null':
        note(part.left);
    }
  };
  walk(written);
  return needs;
}
