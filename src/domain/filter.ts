// The filter language of `filter_query`: a predicate over item attributes and `item_id`. The grammar, loosest binding first:
//
//   filter     = or
//   or         = and { OR and }
//   and        = not { AND not }
//   not        = NOT not | "(" or ")" | comparison
//   comparison = name ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) literal
//              | name [ NOT ] IN "(" literal { "," literal } ")"
//              | name [ NOT ] CONTAINS literal
//              | name IS [ NOT ] NULL
//   literal    = 'string' ('' is a quote) | number | true | false
//   name       = letter or _ followed by letters, digits, _ - . $ | "any name" ("" is a quote)
//
// Words are read in either case. Text → Filter is parse-filter.ts, back again is print-filter.ts, meaning is evaluate-filter.ts.

export type FilterLiteral = string | number | boolean;

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

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
  | { readonly kind: 'null'; readonly attribute: string };

/** The attribute name that means the item's id. */
export const ITEM_ID = 'item_id';

export const MAX_FILTER_LENGTH = 4096;
/** comparisons, IN, CONTAINS and IS NULL of one filter */
export const MAX_FILTER_CONDITIONS = 128;
/** of parentheses and NOTs inside each other */
export const MAX_FILTER_DEPTH = 32;
/** literals of one IN list */
export const MAX_FILTER_LIST = 500;
