// A position in the tokens of a filter, and the limits counted while reading.
import { MAX_FILTER_CONDITIONS, MAX_FILTER_DEPTH, MAX_FILTER_OPERATIONS } from './filter.ts';
import { type FilterToken, filterError } from './filter-tokens.ts';

export class FilterCursor {
  readonly #tokens: readonly FilterToken[];
  #next = 0;
  #depth = 0;
  #conditions = 0;
  #operations = 0;

  constructor(tokens: readonly FilterToken[]) {
    this.#tokens = tokens;
  }

  peek(): FilterToken {
    return this.#tokens[this.#next];
  }

  advance(): void {
    this.#next++;
  }

  isWord(keyword: string): boolean {
    const token = this.peek();
    return token.kind === 'word' && token.keyword === keyword;
  }

  acceptWord(keyword: string): boolean {
    if (!this.isWord(keyword)) return false;
    this.#next++;
    return true;
  }

  isSymbol(symbol: string): boolean {
    const token = this.peek();
    return token.kind === 'symbol' && token.text === symbol;
  }

  acceptSymbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.#next++;
    return true;
  }

  unexpected(expected: string, token = this.peek()) {
    return filterError(token.start, `Expected ${expected}, found ${describe(token)}`);
  }

  /** Reads what is inside parentheses, or after NOT or a sign. */
  inside<T>(start: number, read: () => T): T {
    if (++this.#depth > MAX_FILTER_DEPTH) {
      throw filterError(start, `Parentheses and NOTs are nested more than ${MAX_FILTER_DEPTH} deep`);
    }
    const result = read();
    this.#depth--;
    return result;
  }

  countCondition(start: number): void {
    if (++this.#conditions <= MAX_FILTER_CONDITIONS) return;
    throw filterError(
      start,
      `A filter can have at most ${MAX_FILTER_CONDITIONS} conditions; there is one more (use IN for many values)`,
    );
  }

  countOperation(start: number): void {
    if (++this.#operations <= MAX_FILTER_OPERATIONS) return;
    throw filterError(
      start,
      `A filter can have at most ${MAX_FILTER_OPERATIONS} functions and + - * /; there is one more`,
    );
  }
}

function describe(token: FilterToken): string {
  if (token.kind === 'end') return 'the end';
  if (token.kind === 'string') return `the text '${shorten(token.value)}'`;
  if (token.kind === 'number') return `the number ${token.value}`;
  return shorten(token.kind === 'param' ? `$${token.text}` : token.text);
}

export function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
