// The filter language of `filter_query`: a predicate over item attributes and `item_id`, and over what else a call
// knows: the user, the context, parameters and the time. The grammar, loosest binding first:
//
//   filter     = or
//   or         = and { OR and }
//   and        = not { AND not }
//   not        = NOT not | "(" or ")" | comparison
//   comparison = sum ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) sum
//              | sum [ NOT ] IN ( "(" sum { "," sum } ")" | parameter | user or context attribute )
//              | sum [ NOT ] CONTAINS sum
//              | sum IS [ NOT ] NULL
//   sum        = product { ( "+" | "-" ) product }
//   product    = value { ( "*" | "/" ) value }
//   value      = "-" value | "(" sum ")" | name | user.name | context.name | $name | literal
//              | now() | time( sum ) | days_since( sum ) | distance_km( sum, sum, sum, sum )
//   literal    = 'string' ('' is a quote) | number | true | false
//   name       = letter or _ followed by letters, digits, _ - . $ | "any name" ("" is a quote)
//
// Keywords ignore case. A filter goes through two forms:
//
//   text → WrittenFilter (read-filter.ts) → Filter (fold-filter.ts: what is constant for a call is replaced by its value)
//
// Back to text is print-filter.ts, the meaning of a Filter is evaluate-filter.ts.

export type FilterLiteral = string | number | boolean;

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export type ArithmeticOperator = '+' | '-' | '*' | '/';

/** An operand as written. `start` is its position in the text. */
export type FilterExpression = { readonly start: number } & (
  | { readonly kind: 'literal'; readonly value: FilterLiteral }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'scoped'; readonly scope: FilterScope; readonly name: string }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'now' }
  | { readonly kind: 'time'; readonly of: FilterExpression }
  | { readonly kind: 'distance'; readonly of: readonly FilterExpression[] }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: FilterExpression;
      readonly right: FilterExpression;
    }
);

/** Attributes that are not an item's: user.NAME and context.NAME. */
export type FilterScope = 'user' | 'context';

export type WrittenFilter =
  | { readonly kind: 'or'; readonly operands: readonly WrittenFilter[] }
  | { readonly kind: 'and'; readonly operands: readonly WrittenFilter[] }
  | { readonly kind: 'not'; readonly operand: WrittenFilter }
  | {
      readonly kind: 'compare';
      readonly operator: ComparisonOperator;
      readonly left: FilterExpression;
      readonly right: FilterExpression;
    }
  | { readonly kind: 'in'; readonly left: FilterExpression; readonly values: readonly FilterExpression[] }
  | { readonly kind: 'contains'; readonly left: FilterExpression; readonly value: FilterExpression }
  | { readonly kind: 'null'; readonly left: FilterExpression };

/** A predicate over an item alone. */
export type Filter =
  | { readonly kind: 'or'; readonly operands: readonly Filter[] }
  | { readonly kind: 'and'; readonly operands: readonly Filter[] }
  | { readonly kind: 'not'; readonly operand: Filter }
  | {
      readonly kind: 'compare';
      readonly attribute: string;
      readonly operator: ComparisonOperator;
      readonly value: FilterLiteral;
    }
  | { readonly kind: 'in'; readonly attribute: string; readonly values: readonly FilterLiteral[] }
  | { readonly kind: 'contains'; readonly attribute: string; readonly value: FilterLiteral }
  | { readonly kind: 'null'; readonly attribute: string }
  | {
      readonly kind: 'compute';
      readonly operator: ComparisonOperator;
      readonly left: NumberExpression;
      readonly right: NumberExpression;
    }
  | { readonly kind: 'constant'; readonly holds: boolean };

/** A number computed from an item's attributes; absent if they are absent or not numbers. */
export type NumberExpression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'attribute'; readonly name: string }
  | { readonly kind: 'time'; readonly name: string }
  | { readonly kind: 'distance'; readonly of: readonly NumberExpression[] }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: NumberExpression;
      readonly right: NumberExpression;
    };

/** The attribute name that means the item's id. */
export const ITEM_ID = 'item_id';

export const MAX_FILTER_LENGTH = 4096;
/** comparisons, IN, CONTAINS and IS NULL of one filter */
export const MAX_FILTER_CONDITIONS = 128;
/** + - * / and functions of one filter */
export const MAX_FILTER_OPERATIONS = 64;
/** nesting of parentheses and NOTs */
export const MAX_FILTER_DEPTH = 32;
/** limit of literals in an IN list */
export const MAX_FILTER_LIST = 500;
/** characters of the texts from parameters, user attributes and context in one filter */
export const MAX_FILTER_INPUT = 16_384;
