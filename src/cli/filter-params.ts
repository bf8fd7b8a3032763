// `--filter-param name=value`, as often as there are parameters.
import { InvalidArgumentError } from 'commander';

type FilterParam = string | number | boolean | (string | number | boolean)[];

/** A value that reads as a JSON number, boolean, text or list is one; anything else is text. */
export function collectFilterParam(text: string, known: Record<string, FilterParam> = {}): Record<string, FilterParam> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('Write name=value, e.g. max=20 or brands=["a","b"].');
  const value = text.slice(equals + 1);
  return { ...known, [text.slice(0, equals).replace(/^\$/, '')]: jsonOr(value) };
}

function jsonOr(text: string): FilterParam {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? text : (value as FilterParam);
  } catch {
    return text;
  }
}
