// filter_query → Filter, by recursive descent over the grammar in filter.ts. Refuses with the position and what was expected.

import {
  type ComparisonOperator,
  type Filter,
  type FilterLiteral,
  MAX_FILTER_CONDITIONS,
  MAX_FILTER_DEPTH,
  MAX_FILTER_LENGTH,
  MAX_FILTER_LIST,
} from './filter.ts';
import { type FilterToken, filterError, tokenizeFilter } from './filter-tokens.ts';

const COMPARISONS = new Set<string>(['=', '!=', '<', '<=', '>', '>=']);
const A_VALUE = "a value ('text', a number, true or false)";
const AN_OPERATOR = 'one of = != < <= > >= IN CONTAINS IS';
const A_CONDITION = 'an attribute name, NOT or (';

export function parseFilter(text: string): Filter {
  if (text.length > MAX_FILTER_LENGTH) {
    throw filterError(
      MAX_FILTER_LENGTH,
      `The filter has ${text.length} characters; at most ${MAX_FILTER_LENGTH} are read: it ends`,
    );
  }
  return new FilterParser(tokenizeFilter(text)).parse();
}

class FilterParser {
  readonly #tokens: FilterToken[];
  #next = 0;
  #depth = 0;
  #conditions = 0;

  constructor(tokens: FilterToken[]) {
    this.#tokens = tokens;
  }

  parse(): Filter {
    const filter = this.#or();
    if (this.#peek().kind !== 'end') throw this.#unexpected('AND, OR or the end');
    return filter;
  }

  #or(): Filter {
    const operands = [this.#and()];
    while (this.#acceptWord('OR')) operands.push(this.#and());
    return operands.length === 1 ? operands[0] : { kind: 'or', operands };
  }

  #and(): Filter {
    const operands = [this.#not()];
    while (this.#acceptWord('AND')) operands.push(this.#not());
    return operands.length === 1 ? operands[0] : { kind: 'and', operands };
  }

  #not(): Filter {
    const start = this.#peek().start;
    if (this.#acceptWord('NOT')) {
      this.#enter(start);
      const operand = this.#not();
      this.#depth--;
      return { kind: 'not', operand };
    }
    if (this.#acceptSymbol('(')) {
      this.#enter(start);
      const inside = this.#or();
      if (!this.#acceptSymbol(')')) throw this.#unexpected('AND, OR or )');
      this.#depth--;
      return inside;
    }
    return this.#comparison();
  }

  #comparison(): Filter {
    const { start } = this.#peek();
    const attribute = this.#name();
    if (++this.#conditions > MAX_FILTER_CONDITIONS) {
      throw filterError(
        start,
        `A filter has at most ${MAX_FILTER_CONDITIONS} conditions; there is one more (for many values there is IN)`,
      );
    }
    const operator = this.#peek();
    if (operator.kind === 'symbol' && COMPARISONS.has(operator.text)) {
      this.#next++;
      return this.#compare(attribute, operator.text as ComparisonOperator);
    }
    if (this.#acceptWord('IS')) {
      const negated = this.#acceptWord('NOT');
      if (!this.#acceptWord('NULL')) throw this.#unexpected(negated ? 'NULL' : 'NULL or NOT NULL');
      return negate(negated, { kind: 'null', attribute });
    }
    const negated = this.#acceptWord('NOT');
    if (this.#acceptWord('IN')) return negate(negated, { kind: 'in', attribute, values: this.#list() });
    if (this.#acceptWord('CONTAINS')) return negate(negated, { kind: 'contains', attribute, value: this.#literal() });
    throw this.#unexpected(negated ? 'IN or CONTAINS' : AN_OPERATOR);
  }

  #compare(attribute: string, operator: ComparisonOperator): Filter {
    const literal = this.#peek();
    const value = this.#literal();
    if (typeof value === 'boolean' && operator !== '=' && operator !== '!=') {
      throw filterError(literal.start, `true and false have no order: use = or != instead of ${operator}`);
    }
    return { kind: 'compare', attribute, operator, value };
  }

  #name(): string {
    const token = this.#peek();
    if (token.kind === 'name' || (token.kind === 'word' && token.keyword === null)) {
      this.#next++;
      return token.text;
    }
    if (token.kind === 'word' && token.keyword !== 'NOT') {
      throw this.#unexpected(`${A_CONDITION} (an attribute called ${token.text} is written "${token.text}")`);
    }
    throw this.#unexpected(A_CONDITION);
  }

  #list(): FilterLiteral[] {
    if (!this.#acceptSymbol('(')) throw this.#unexpected('( and a list of values');
    const values = [this.#literal()];
    while (this.#acceptSymbol(',')) {
      if (values.length === MAX_FILTER_LIST) {
        throw filterError(this.#peek().start, `A list holds at most ${MAX_FILTER_LIST} values; there is one more`);
      }
      values.push(this.#literal());
    }
    if (!this.#acceptSymbol(')')) throw this.#unexpected(', or )');
    return values;
  }

  #literal(): FilterLiteral {
    const token = this.#peek();
    if (token.kind === 'string' || token.kind === 'number') {
      this.#next++;
      return token.value;
    }
    if (this.#acceptWord('TRUE')) return true;
    if (this.#acceptWord('FALSE')) return false;
    if (token.kind === 'word' && token.keyword === 'NULL')
      throw this.#unexpected(`${A_VALUE} (for absent values there is IS NULL)`);
    if (token.kind === 'word' || token.kind === 'name') {
      throw this.#unexpected(`${A_VALUE} (text stands in single quotes: '${token.text}')`);
    }
    throw this.#unexpected(A_VALUE);
  }

  #enter(start: number): void {
    if (++this.#depth > MAX_FILTER_DEPTH) {
      throw filterError(start, `Parentheses and NOTs stand more than ${MAX_FILTER_DEPTH} deep in each other`);
    }
  }

  #peek(): FilterToken {
    return this.#tokens[this.#next];
  }

  #acceptWord(keyword: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'word' || token.keyword !== keyword) return false;
    this.#next++;
    return true;
  }

  #acceptSymbol(symbol: string): boolean {
    const token = this.#peek();
    if (token.kind !== 'symbol' || token.text !== symbol) return false;
    this.#next++;
    return true;
  }

  #unexpected(expected: string) {
    const token = this.#peek();
    return filterError(token.start, `Expected ${expected}, found ${describe(token)}`);
  }
}

function negate(negated: boolean, filter: Filter): Filter {
  return negated ? { kind: 'not', operand: filter } : filter;
}

function describe(token: FilterToken): string {
  if (token.kind === 'end') return 'the end';
  if (token.kind === 'string') return `the text '${shorten(token.value)}'`;
  if (token.kind === 'number') return `the number ${token.value}`;
  return shorten(token.text);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
