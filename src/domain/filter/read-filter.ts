// filter_query → WrittenFilter, by recursive descent over the grammar in filter.ts. Errors give the position and what was
// expected.

import { plural } from '../../base/plural.ts';
import {
  type ArithmeticOperator,
  type ComparisonOperator,
  type FilterExpression,
  type FilterScope,
  MAX_FILTER_LENGTH,
  MAX_FILTER_LIST,
  type WrittenFilter,
} from './filter.ts';
import { FilterCursor, shorten } from './filter-cursor.ts';
import { callFunction, difference, isConstant, refuseItemId, refuseText } from './filter-expressions.ts';
import { type FilterToken, filterError, tokenizeFilter } from './filter-tokens.ts';

const COMPARISONS = new Set<string>(['=', '!=', '<', '<=', '>', '>=']);
const A_VALUE = "a value ('text', a number, true or false)";
const AN_OPERATOR = 'one of = != < <= > >= IN CONTAINS IS';
const A_LIST = '( and a list of values, a $parameter or an attribute of the user';
const A_CONDITION = 'an attribute name, NOT or (';
const SCOPED = /^(user|context)\.(.*)$/s;

/** Parentheses may contain either; the context decides which one is allowed. */
type Node = WrittenFilter | FilterExpression;

export function readFilter(text: string): WrittenFilter {
  if (text.length > MAX_FILTER_LENGTH) {
    throw filterError(
      MAX_FILTER_LENGTH,
      `The filter has ${plural(text.length, 'character')}; the limit is ${MAX_FILTER_LENGTH.toLocaleString('en-US')}. It exceeds the limit`,
    );
  }
  return new FilterReader(tokenizeFilter(text)).read();
}

class FilterReader {
  readonly #at: FilterCursor;

  constructor(tokens: readonly FilterToken[]) {
    this.#at = new FilterCursor(tokens);
  }

  read(): WrittenFilter {
    const filter = this.#filter(this.#or());
    if (this.#at.peek().kind !== 'end') throw this.#at.unexpected('AND, OR or the end');
    return filter;
  }

  #or(): Node {
    const first = this.#and();
    if (!this.#at.isWord('OR')) return first;
    const operands = [this.#filter(first)];
    while (this.#at.acceptWord('OR')) operands.push(this.#filter(this.#and()));
    return { kind: 'or', operands };
  }

  #and(): Node {
    const first = this.#not();
    if (!this.#at.isWord('AND')) return first;
    const operands = [this.#filter(first)];
    while (this.#at.acceptWord('AND')) operands.push(this.#filter(this.#not()));
    return { kind: 'and', operands };
  }

  #not(): Node {
    const start = this.#at.peek().start;
    if (!this.#at.acceptWord('NOT')) return this.#comparison();
    return { kind: 'not', operand: this.#at.inside(start, () => this.#filter(this.#not())) };
  }

  #comparison(): Node {
    const { start } = this.#at.peek();
    const left = this.#sum(A_CONDITION);
    if (!isExpression(left)) return left;
    const next = this.#at.peek();
    // Perhaps the end of a parenthesis inside a comparison, as in (a + b) < 5.
    if (this.#at.isSymbol(')')) return left;
    this.#at.countCondition(start);
    if (next.kind === 'symbol' && COMPARISONS.has(next.text)) {
      this.#at.advance();
      return this.#compare(left, next.text as ComparisonOperator);
    }
    if (this.#at.acceptWord('IS')) {
      const negated = this.#at.acceptWord('NOT');
      if (!this.#at.acceptWord('NULL')) throw this.#at.unexpected(negated ? 'NULL' : 'NULL or NOT NULL');
      return negate(negated, { kind: 'null', left });
    }
    const negated = this.#at.acceptWord('NOT');
    if (this.#at.acceptWord('IN')) return negate(negated, { kind: 'in', left, values: this.#list() });
    if (this.#at.isWord('CONTAINS')) return negate(negated, this.#contains(left));
    throw this.#at.unexpected(negated ? 'IN or CONTAINS' : AN_OPERATOR);
  }

  #compare(left: FilterExpression, operator: ComparisonOperator): WrittenFilter {
    const token = this.#at.peek();
    const right = this.#expression(A_VALUE);
    for (const side of [left, right]) {
      if (side.kind === 'literal' && typeof side.value === 'boolean' && operator !== '=' && operator !== '!=') {
        throw filterError(side.start, `true and false have no order: use = or != instead of ${operator}`);
      }
    }
    // Probably a text without quotes. Two attributes are compared as a = (b).
    const isName = right.kind === 'attribute' && (token.kind === 'word' || token.kind === 'name');
    if (isName && (operator === '=' || operator === '!=') && !isConstant(left)) {
      throw this.#at.unexpected(valueInstead(token), token);
    }
    if (!isConstant(left) && !isConstant(right)) for (const side of [left, right]) refuseItemId(side);
    return { kind: 'compare', operator, left, right };
  }

  #contains(left: FilterExpression): WrittenFilter {
    if (!isConstant(left) && left.kind !== 'attribute') {
      throw this.#at.unexpected('a comparison with a number (CONTAINS is for texts and lists)');
    }
    this.#at.advance();
    return { kind: 'contains', left, value: this.#constant() };
  }

  #list(): FilterExpression[] {
    if (!this.#at.acceptSymbol('(')) {
      const token = this.#at.peek();
      const list = token.kind === 'param' || token.kind === 'word' ? this.#value(A_LIST) : null;
      if (list?.kind === 'param' || list?.kind === 'scoped') return [list];
      throw this.#at.unexpected(A_LIST, token);
    }
    const values = [this.#constant()];
    while (this.#at.acceptSymbol(',')) {
      if (values.length === MAX_FILTER_LIST) {
        throw filterError(
          this.#at.peek().start,
          `A list can have at most ${MAX_FILTER_LIST} values; there is one more`,
        );
      }
      values.push(this.#constant());
    }
    if (!this.#at.acceptSymbol(')')) throw this.#at.unexpected(', or )');
    return values;
  }

  /** An expression without attributes of items, so that its value is the same for all items. */
  #constant(): FilterExpression {
    const token = this.#at.peek();
    const expression = this.#expression(A_VALUE);
    if (isConstant(expression)) return expression;
    throw this.#at.unexpected(valueInstead(token), token);
  }

  #expression(expected: string): FilterExpression {
    const { start } = this.#at.peek();
    const node = this.#sum(expected);
    if (isExpression(node)) return node;
    throw filterError(start, `Expected ${expected}, found a condition`);
  }

  #sum(expected: string): Node {
    let node = this.#product(expected);
    while (isExpression(node) && (this.#at.isSymbol('+') || this.#at.isSymbol('-')))
      node = this.#arithmetic(node, () => this.#product(A_VALUE));
    return node;
  }

  #product(expected: string): Node {
    let node = this.#value(expected);
    while (isExpression(node) && (this.#at.isSymbol('*') || this.#at.isSymbol('/')))
      node = this.#arithmetic(node, () => this.#value(A_VALUE));
    return node;
  }

  #arithmetic(left: FilterExpression, readRight: () => Node): FilterExpression {
    const token = this.#at.peek() as FilterToken & { kind: 'symbol' };
    this.#at.advance();
    this.#at.countOperation(token.start);
    const right = readRight();
    if (!isExpression(right))
      throw filterError(token.start, `Expected a number on both sides of ${token.text}, found a condition`);
    for (const side of [left, right]) refuseText(side);
    return { kind: 'arithmetic', operator: token.text as ArithmeticOperator, left, right, start: left.start };
  }

  #value(expected: string): Node {
    const token = this.#at.peek();
    const { start } = token;
    if (this.#at.acceptSymbol('(')) {
      return this.#at.inside(start, () => {
        const inside = this.#or();
        if (!this.#at.acceptSymbol(')')) throw this.#at.unexpected('AND, OR or )');
        return inside;
      });
    }
    if (this.#at.acceptSymbol('-')) {
      const negative = this.#at.inside(start, () => this.#value(A_VALUE));
      if (!isExpression(negative)) throw filterError(start, 'Expected a number after -, found a condition');
      refuseText(negative);
      return difference({ kind: 'literal', value: 0, start }, negative);
    }
    switch (token.kind) {
      case 'string':
      case 'number':
        this.#at.advance();
        return { kind: 'literal', value: token.value, start };
      case 'param':
        this.#at.advance();
        return { kind: 'param', name: token.text, start };
      case 'name':
        this.#at.advance();
        return { kind: 'attribute', name: token.text, start };
      case 'word':
        return this.#word(token, expected);
      default:
        throw this.#at.unexpected(expected);
    }
  }

  #word(token: FilterToken & { kind: 'word' }, expected: string): FilterExpression {
    const { start, text } = token;
    if (this.#at.acceptWord('TRUE')) return { kind: 'literal', value: true, start };
    if (this.#at.acceptWord('FALSE')) return { kind: 'literal', value: false, start };
    if (token.keyword === 'NULL' && expected === A_VALUE) {
      throw this.#at.unexpected(`${A_VALUE} (use IS NULL for absent values)`);
    }
    if (token.keyword !== null && token.keyword !== 'NOT') {
      throw this.#at.unexpected(`${expected} (an attribute called ${text} is written "${text}")`);
    }
    if (token.keyword !== null) throw this.#at.unexpected(expected);
    this.#at.advance();
    if (this.#at.acceptSymbol('(')) return this.#call(text, start);
    const scoped = SCOPED.exec(text);
    if (scoped === null) return { kind: 'attribute', name: text, start };
    return { kind: 'scoped', scope: scoped[1] as FilterScope, name: scoped[2] || this.#quotedName(token), start };
  }

  /** The name in user."any name". */
  #quotedName({ text, start }: FilterToken & { kind: 'word' }): string {
    const token = this.#at.peek();
    if (token.kind !== 'name' || token.start !== start + text.length) {
      throw this.#at.unexpected(`the name of an attribute after ${text}`);
    }
    this.#at.advance();
    return token.text;
  }

  #call(name: string, start: number): FilterExpression {
    this.#at.countOperation(start);
    const args: FilterExpression[] = [];
    if (!this.#at.acceptSymbol(')')) {
      this.#at.inside(start, () => {
        do args.push(this.#expression(A_VALUE));
        while (this.#at.acceptSymbol(','));
      });
      if (!this.#at.acceptSymbol(')')) throw this.#at.unexpected(', or )');
    }
    return callFunction(name, args, start);
  }

  #filter(node: Node): WrittenFilter {
    if (!isExpression(node)) return node;
    throw this.#at.unexpected(AN_OPERATOR);
  }
}

function isExpression(node: Node): node is FilterExpression {
  return 'start' in node;
}

function negate(negated: boolean, filter: WrittenFilter): WrittenFilter {
  return negated ? { kind: 'not', operand: filter } : filter;
}

function valueInstead(token: FilterToken): string {
  if (token.kind !== 'word' && token.kind !== 'name') return A_VALUE;
  return `${A_VALUE} (text is in single quotes: '${shorten(token.text)}')`;
}
