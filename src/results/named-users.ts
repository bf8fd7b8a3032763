// Users that a result names: found in its JSON, and replaced in its JSON and CSV. The files are read as streams of text, because
// a result may be larger than memory. In JSON a user is the value of "user_id" or an entry of "user_ids"; in CSV the column
// `user_id`. Nothing else is touched, also when it happens to be the same text.
import { csvLine } from '../base/csv-line.ts';

/** Shown in a result instead of a deleted user's id. */
export const DELETED_USER = '[deleted]';

const USER_KEYS = new Set(['user_id', 'user_ids']);

/** Renames users in JSON. `rename` is called for each user in turn and returns the id to write. */
export async function* renameInJson(
  chunks: AsyncIterable<string>,
  rename: (userId: string) => string,
): AsyncGenerator<string> {
  let rest = '';
  let key = '';
  for await (const chunk of chunks) {
    const text = rest + chunk;
    let out = '';
    /** the position up to which the text is in `out` */
    let done = 0;
    let at = 0;
    for (;;) {
      const open = text.indexOf('"', at);
      if (open < 0) {
        at = text.length;
        break;
      }
      const close = closingQuote(text, open + 1);
      // The character after it tells a key from a value.
      if (close < 0 || close + 1 === text.length) {
        at = open;
        break;
      }
      if (text[close + 1] === ':') key = text.slice(open + 1, close);
      else if (USER_KEYS.has(key)) {
        const userId: string = JSON.parse(text.slice(open, close + 1));
        const renamed = rename(userId);
        if (renamed !== userId) {
          out += text.slice(done, open) + JSON.stringify(renamed);
          done = close + 1;
        }
      }
      at = close + 1;
    }
    yield out + text.slice(done, at);
    rest = text.slice(at);
  }
  yield rest;
}

/** Renames the given users in CSV. */
export async function* renameInCsv(
  chunks: AsyncIterable<string>,
  users: ReadonlySet<string>,
  newId: string,
): AsyncGenerator<string> {
  const cells = new Set(Array.from(users, cellOf));
  let rest = '';
  /** index of the column of users; known after the header was read, −1 if there is none */
  let column: number | undefined;
  for await (const chunk of chunks) {
    const text = rest + chunk;
    let out = '';
    let from = 0;
    for (let end = lineEnd(text, from); end > 0; end = lineEnd(text, from)) {
      const line = text.slice(from, end);
      const places = cellsOf(line);
      const [start, stop] = places[column ?? -1] ?? [0, 0];
      const isNamed = stop > start && cells.has(line.slice(start, stop));
      out += isNamed ? line.slice(0, start) + cellOf(newId) + line.slice(stop) : line;
      column ??= places.findIndex(([first, last]) => line.slice(first, last) === 'user_id');
      from = end;
    }
    yield out;
    rest = text.slice(from);
  }
  yield rest;
}

function cellOf(text: string): string {
  return csvLine([text]).slice(0, -2);
}

/** Returns the end of the string that begins at `from`; −1 if the text ends before it. */
function closingQuote(text: string, from: number): number {
  for (let close = text.indexOf('"', from); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return close;
  }
  return -1;
}

/** Just after the line that begins at `from`; −1 when it is not whole. A line break inside quotes does not end it. */
function lineEnd(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\n' && !isQuoted) return at + 1;
  }
  return -1;
}

/**
 * Where each cell of a line begins and ends, with its quotes. The reader of imports (import/csv-rows.ts) gives the texts of cells, not
 * their places, but whatever is no user must stay as it is to the last byte.
 */
function cellsOf(line: string): [number, number][] {
  const cells: [number, number][] = [];
  let isQuoted = false;
  let start = 0;
  const end = line.length - (line.endsWith('\r\n') ? 2 : 1);
  for (let at = 0; at <= end; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (at === end || (line[at] === ',' && !isQuoted)) {
      cells.push([start, at]);
      start = at + 1;
    }
  }
  return cells;
}
