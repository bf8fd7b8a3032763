// The lines of a text stream, ended by \n alone: node:readline also ends a line at U+2028, which JSON may contain as it is.
import type { Readable } from 'node:stream';

export async function* linesOf(input: Readable): AsyncGenerator<string> {
  for await (const lines of lineBlocksOf(input)) yield* lines;
}

/** Many lines at a time, for short ones: to wait for each of millions takes longer than to read them. */
export async function* lineBlocksOf(input: Readable): AsyncGenerator<string[]> {
  // Decodes characters that are cut by the end of a chunk.
  input.setEncoding('utf8');
  let rest = '';
  for await (const chunk of input as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield lines;
  }
  if (rest !== '') yield [rest];
}
