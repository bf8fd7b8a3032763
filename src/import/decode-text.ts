// The bytes of a file as text, in pieces. Bytes that are not text in the encoding stop the import: replaced by "\ufffd", different ids
// would become one.

export type ByteChunks = AsyncIterable<Uint8Array>;

/** Thrown if the file cannot be read any further. The message is shown to the user. */
export class UnreadableTable extends Error {
  override readonly name = 'UnreadableTable';
}

export async function* decode(chunks: ByteChunks, encoding?: string): AsyncGenerator<string, undefined> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(encoding ?? markedEncoding(chunk), { fatal: true });
      const text = textOf(decoder, chunk);
      if (text !== '') yield text;
    }
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw code?.startsWith('Z_') ? new UnreadableTable(`the compressed file is damaged or cut off: ${message}`) : error;
  }
  const last = decoder === undefined ? '' : textOf(decoder);
  if (last !== '') yield last;
}

/** Without a chunk, decodes the end of the text. */
function textOf(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    const hint = 'if it is text in another encoding, name it, e.g. --encoding latin1';
    throw new UnreadableTable(`the file is not ${decoder.encoding} text; ${hint}`);
  }
}

/** Recognizes the encoding by the byte order mark. Excel saves "Unicode text" as UTF-16. */
function markedEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Files whose lines end with a carriage return alone, as "CSV (Macintosh)" of Excel, get line feeds. The first line decides. */
export async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let alone: boolean | null = null;
  /** A carriage return whose next character is not known yet. */
  let held = '';
  for await (const piece of texts) {
    const text: string = held + piece;
    held = '';
    const at: number = alone === null ? text.search(/[\r\n]/) : -1;
    if (at >= 0 && text[at] === '\r' && at === text.length - 1) held = '\r';
    else if (at >= 0) alone = text[at] === '\r' && text[at + 1] !== '\n';
    const known = held === '' ? text : text.slice(0, -1);
    if (known !== '') yield alone ? known.replaceAll('\r', '\n') : known;
  }
  if (held !== '') yield held;
}
