// The files of a result once more, with some users renamed. Charts name nobody.
import { createReadStream, createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DELETED_USER, renameInCsv, renameInJson } from './named-users.ts';
import type { ResultFormat } from './result-link.ts';

/** Those that name users; the first one is searched for them. */
export const NAMING_FORMATS = ['json', 'csv'] as const satisfies ResultFormat[];
/** The same of a recommendation job: its table is made from it. */
export const NAMING_LINES = ['jsonl'] as const satisfies ResultFormat[];
export type NamingFormat = (typeof NAMING_FORMATS)[number] | (typeof NAMING_LINES)[number];

/** Every user that a result names, in blocks; some more than once. */
export async function* namedUsers(json: Readable, blockSize = 1000): AsyncGenerator<string[]> {
  const block: string[] = [];
  const pieces = renameInJson(textOf(json), (userId) => {
    block.push(userId);
    return userId;
  });
  for await (const _ of pieces) {
    while (block.length >= blockSize) yield block.splice(0, blockSize);
  }
  if (block.length > 0) yield block;
}

/** Writes the content to a new local file, without these users. */
export type WriteWithout = (
  users: ReadonlySet<string>,
  format: NamingFormat,
  content: Readable,
  target: string,
) => Promise<void>;

/** They are renamed. */
export const writeWithout: WriteWithout = async (users, format, content, target) => {
  const text = textOf(content);
  const renamed =
    format === 'csv'
      ? renameInCsv(text, users, DELETED_USER)
      : renameInJson(text, (userId) => (users.has(userId) ? DELETED_USER : userId));
  await pipeline(renamed, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
};

export function readText(path: string): Readable {
  return createReadStream(path);
}

function textOf(content: Readable): AsyncIterable<string> {
  // Decodes characters that are cut by the end of a chunk.
  content.setEncoding('utf8');
  return content as AsyncIterable<string>;
}
