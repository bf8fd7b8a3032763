// The lines of a text stream, ended by \n alone: node:readline also ends a line at U+2028, which JSON may contain as it is.
import type { Readable } from 'node:stream';

export async function* linesOf(input: Readable): AsyncGenerator<string> {
  // Decodes characters that are cut by the end of a chunk.
  input.setEncoding('utf8');
  let rest = '';
  for await (const chunk of input as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
