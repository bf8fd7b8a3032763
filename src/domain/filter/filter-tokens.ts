// Splits a filter_query into tokens with their positions. Every character belongs to a token or is white space; anything else
// is a 400 with its position. Text is made well-formed Unicode, as stores do with the values it is compared with.
import { AppError } from '../../errors.ts';

export type FilterToken =
  | { readonly kind: 'word'; readonly text: string; readonly keyword: string | null; readonly start: number }
  | { readonly kind: 'name'; readonly text: string; readonly start: number }
  | { readonly kind: 'param'; readonly text: string; readonly start: number }
  | { readonly kind: 'string'; readonly value: string; readonly start: number }
  | { readonly kind: 'number'; readonly value: number; readonly start: number }
  | { readonly kind: 'symbol'; readonly text: string; readonly start: number }
  | { readonly kind: 'end'; readonly start: number };

const KEYWORDS = new Set(['AND', 'OR', 'NOT', 'IN', 'CONTAINS', 'IS', 'NULL', 'TRUE', 'FALSE']);
const SPACE = /\s+/uy;
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_.$-]*/uy;
const PARAM = /\$[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
const NUMBER = /-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRING = /'(?:[^']|'')*'/y;
const QUOTED_NAME = /"(?:[^"]|"")*"/y;
const SYMBOL = /<=|>=|!=|[=<>(),+*/-]/y;
const AFTER_NUMBER = /[\p{L}\p{N}_.$]/uy;

/** The text of a plain (unquoted) name as a whole. */
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_.$-]*$/u;

/** Plain names with these prefixes are not item attributes. */
const SCOPED_NAME = /^(?:user|context)\./;

/** Whether an item's attribute of this name can be written without quotes. */
export function isPlainName(name: string): boolean {
  return PLAIN_NAME.test(name) && !SCOPED_NAME.test(name) && !KEYWORDS.has(name.toUpperCase());
}

/** `start` counts from 0, the message and `position` from 1, as people do. */
export function filterError(start: number, message: string, pointer = '/filter_query'): AppError {
  const position = start + 1;
  const detail = `${message} at position ${position} of filter_query.`;
  return new AppError('INVALID_FILTER', detail, {
    errors: [{ pointer, message: detail }],
    extra: { position },
  });
}

export function tokenizeFilter(text: string): FilterToken[] {
  const tokens: FilterToken[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    return found === null ? null : found[0];
  };
  while (at < text.length) {
    const start = at;
    const space = take(SPACE);
    if (space !== null) {
      at += space.length;
      continue;
    }
    const word = take(WORD);
    if (word !== null) {
      const upper = word.toUpperCase();
      tokens.push({ kind: 'word', text: word, keyword: KEYWORDS.has(upper) ? upper : null, start });
      at += word.length;
      continue;
    }
    const param = take(PARAM);
    if (param !== null) {
      tokens.push({ kind: 'param', text: param.slice(1), start });
      at += param.length;
      continue;
    }
    // After a value, a minus is an operator and not a sign.
    const digits = text[at] === '-' && endsValue(tokens.at(-1)) ? null : take(NUMBER);
    if (digits !== null) {
      at += digits.length;
      const value = Number(digits);
      if (take(AFTER_NUMBER) !== null) throw filterError(start, `Cannot read the number that starts with ${digits}`);
      if (!Number.isFinite(value)) throw filterError(start, `The number ${digits} is too large`);
      tokens.push({ kind: 'number', value, start });
      continue;
    }
    const quoted = take(STRING);
    if (quoted !== null) {
      tokens.push({ kind: 'string', value: quoted.slice(1, -1).replaceAll("''", "'").toWellFormed(), start });
      at += quoted.length;
      continue;
    }
    const name = take(QUOTED_NAME);
    if (name !== null) {
      if (name.length === 2) throw filterError(start, 'The attribute name "" is empty');
      tokens.push({ kind: 'name', text: name.slice(1, -1).replaceAll('""', '"'), start });
      at += name.length;
      continue;
    }
    const symbol = take(SYMBOL);
    if (symbol !== null) {
      tokens.push({ kind: 'symbol', text: symbol, start });
      at += symbol.length;
      continue;
    }
    throw strayCharacter(text, start);
  }
  tokens.push({ kind: 'end', start: text.length });
  return tokens;
}

function endsValue(token: FilterToken | undefined): boolean {
  if (token === undefined || token.kind === 'end') return false;
  if (token.kind === 'word') return token.keyword === null || token.keyword === 'TRUE' || token.keyword === 'FALSE';
  return token.kind !== 'symbol' || token.text === ')';
}

function strayCharacter(text: string, start: number): AppError {
  if (text[start] === "'") return filterError(start, "The string is not closed (write '' for a quote inside)");
  if (text[start] === '"') return filterError(start, 'The quoted attribute name is not closed');
  return filterError(start, `Unexpected character ${String.fromCodePoint(text.codePointAt(start)!)}`);
}
