// Repeatable options of the form `--filter-param name=value`.
import { InvalidArgumentError } from 'commander';

type Value = string | number | boolean | (string | number | boolean)[];
export type NameValues = Record<string, Value>;

/** Parses a value as a JSON number, boolean, string or list if possible, else keeps it as text. */
export function collectNameValue(example: string): (text: string, known?: NameValues) => NameValues {
  return (text, known = {}) => {
    const equals = text.indexOf('=');
    if (equals < 1) throw new InvalidArgumentError(`Write name=value, e.g. ${example}.`);
    return { ...known, [text.slice(0, equals).replace(/^\$/, '')]: jsonOr(text.slice(equals + 1)) };
  };
}

function jsonOr(text: string): Value {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? text : (value as Value);
  } catch {
    return text;
  }
}
