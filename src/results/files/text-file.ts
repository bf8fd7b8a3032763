// A local file that text is written to piece by piece: a result is never in memory as a whole.
import { type FileHandle, open } from 'node:fs/promises';

const FLUSH_CHARACTERS = 256 * 1024;

export class TextFile {
  readonly #file: FileHandle;
  #pieces: string[] = [];
  #characters = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<TextFile> {
    return new TextFile(await open(path, 'wx'));
  }

  /** A promise comes back only when it is time to wait for the disk: many small pieces need not await each. */
  write(text: string): Promise<void> | undefined {
    this.#pieces.push(text);
    this.#characters += text.length;
    return this.#characters < FLUSH_CHARACTERS ? undefined : this.#flush();
  }

  async writeAll(pieces: Iterable<string>): Promise<void> {
    for (const piece of pieces) await this.write(piece);
  }

  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#file.close();
    }
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#pieces.join(''), 'utf8');
    this.#pieces = [];
    this.#characters = 0;
    await this.#file.writeFile(bytes);
  }
}
