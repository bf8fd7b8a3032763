// The files of a result once more, with some users renamed. Charts name nobody. A file of lines names the users that its lines are
// about: what else is in a line, such as attributes, can have any name.
import { createReadStream, createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { linesOf } from './files/lines-of.ts';
import { DELETED_USER, renameInCsv, renameInJson } from './named-users.ts';
import type { ResultFormat } from './result-link.ts';

/** Formats that contain ids of users. The first one is searched for them. */
export const NAMING_FORMATS = ['json', 'csv'] as const satisfies ResultFormat[];
/** The formats of recommendation and export jobs that name users. Tables are made from these lines. */
export const NAMING_LINES = ['jsonl'] as const satisfies ResultFormat[];
export type NamingFormat = (typeof NAMING_FORMATS)[number] | (typeof NAMING_LINES)[number];

/** Every user that a result names, in blocks; some more than once. */
export async function* namedUsers(
  content: Readable,
  format: NamingFormat = 'json',
  blockSize = 1000,
): AsyncGenerator<string[]> {
  const block: string[] = [];
  const add = (userId: string) => {
    block.push(userId);
    return userId;
  };
  const pieces = format === 'jsonl' ? eachUser(linesOf(content), add) : renameInJson(textOf(content), add);
  for await (const _ of pieces) {
    while (block.length >= blockSize) yield block.splice(0, blockSize);
  }
  if (block.length > 0) yield block;
}

async function* eachUser(lines: AsyncIterable<string>, add: (userId: string) => void): AsyncGenerator<void> {
  for await (const line of lines) yield add(userOf(line));
}

const userOf = (line: string): string => JSON.parse(line).user_id;

/** Writes the content to a new local file, without these users. */
export type WriteWithout = (
  users: ReadonlySet<string>,
  format: NamingFormat,
  content: Readable,
  target: string,
) => Promise<void>;

/** Replaces the ids of these users. */
export const writeWithout: WriteWithout = async (users, format, content, target) => {
  const text = textOf(content);
  const renamed =
    format === 'csv'
      ? renameInCsv(text, users, DELETED_USER)
      : renameInJson(text, (userId) => (users.has(userId) ? DELETED_USER : userId));
  await pipeline(renamed, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
};

/** `without`: what is written for a line about one of the users, null for nothing. */
export function lineWriter(without: (line: string, userId: string) => string | null): WriteWithout {
  return async (users, _format, content, target) => {
    async function* left(): AsyncGenerator<string> {
      for await (const line of linesOf(content)) {
        const userId = userOf(line);
        const written = users.has(userId) ? without(line, userId) : line;
        if (written !== null) yield `${written}\n`;
      }
    }
    await pipeline(left(), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
  };
}

export function readText(path: string): Readable {
  return createReadStream(path);
}

function textOf(content: Readable): AsyncIterable<string> {
  // Decodes characters that are cut by the end of a chunk.
  content.setEncoding('utf8');
  return content as AsyncIterable<string>;
}
