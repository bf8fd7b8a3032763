// Numbers gathered while users stream by, kept in a scratch file: records of a fixed count of 32-bit floats, appended in
// order, read back whole. One query of a million users is a few megabytes; a hundred queries are never in memory together.
import { type FileHandle, open } from 'node:fs/promises';

const BUFFER_FLOATS = 32 * 1024;

/** Records that can be read back. */
export interface SpilledRecords {
  readonly width: number;
  readonly records: number;
  /** Every record, width after width. */
  readAll(): Promise<Float32Array>;
}

export class RecordSpill implements SpilledRecords {
  readonly width: number;
  readonly #file: FileHandle;
  readonly #buffer: Float32Array;
  #buffered = 0;
  #records = 0;

  private constructor(file: FileHandle, width: number) {
    this.#file = file;
    this.width = width;
    this.#buffer = new Float32Array(Math.max(width, Math.floor(BUFFER_FLOATS / width) * width));
  }

  static async create(path: string, width: number): Promise<RecordSpill> {
    return new RecordSpill(await open(path, 'wx+'), width);
  }

  get records(): number {
    return this.#records;
  }

  /** The place to write the next record to; valid until the next call. Await `flushIfFull` between batches. */
  append(): Float32Array {
    if (this.#buffered === this.#buffer.length) throw new Error('flushIfFull was not awaited');
    const record = this.#buffer.subarray(this.#buffered, this.#buffered + this.width);
    this.#buffered += this.width;
    this.#records++;
    return record;
  }

  /** Whether the next append must wait for `flushIfFull`. */
  get full(): boolean {
    return this.#buffered === this.#buffer.length;
  }

  async flushIfFull(): Promise<void> {
    if (this.full) await this.#flush();
  }

  async readAll(): Promise<Float32Array> {
    await this.#flush();
    const all = new Float32Array(this.#records * this.width);
    await readRecords(this.#file, all);
    return all;
  }

  /** The file holds every record then. */
  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#file.close();
    }
  }

  async #flush(): Promise<void> {
    const bytes = new Uint8Array(this.#buffer.buffer, 0, this.#buffered * 4);
    await this.#file.writeFile(bytes);
    this.#buffered = 0;
  }
}

/** Fills `into` from a position in the file. */
export async function readRecords(file: FileHandle, into: Float32Array, fromByte = 0): Promise<void> {
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, Math.min(2 ** 26, bytes.length - done), fromByte + done);
    if (bytesRead === 0) throw new Error('a scratch file of the job was cut off');
    done += bytesRead;
  }
}
