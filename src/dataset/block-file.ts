// Columns of numbers in a file of this machine, read back piece by piece onto the kernels' memory. In the byte order of the machine:
// it is removed by the process that wrote it, or swept with the folder it is in.
import { type FileHandle, open } from 'node:fs/promises';

export type Column = Uint8Array | Uint32Array | Float32Array | Float64Array;

/** Bytes per read or write: the operating system takes at most 2 GiB in one call. */
const MOST_BYTES = 2 ** 30;

export class BlockFile {
  readonly #file: FileHandle;
  /** position of the first byte of each column */
  readonly #starts: readonly number[];

  private constructor(file: FileHandle, starts: readonly number[]) {
    this.#file = file;
    this.#starts = starts;
  }

  static async write(path: string, columns: readonly Column[]): Promise<BlockFile> {
    const file = await open(path, 'wx+', 0o600);
    const starts: number[] = [];
    let end = 0;
    try {
      for (const column of columns) {
        starts.push(end);
        for (const piece of piecesOf(column)) {
          for (let done = 0; done < piece.length; ) {
            const { bytesWritten } = await file.write(piece, done, piece.length - done, end + done);
            done += bytesWritten;
          }
          end += piece.length;
        }
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    return new BlockFile(file, starts);
  }

  /** Fills `into` with what column n has from place `from` on. */
  async read(n: number, from: number, into: Column): Promise<void> {
    let at = this.#starts[n] + from * into.BYTES_PER_ELEMENT;
    for (const piece of piecesOf(into)) {
      for (let done = 0; done < piece.length; ) {
        const { bytesRead } = await this.#file.read(piece, done, piece.length - done, at + done);
        if (bytesRead === 0) throw new Error('A file of this training is shorter than it was written.');
        done += bytesRead;
      }
      at += piece.length;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function* piecesOf({ buffer, byteOffset, byteLength }: Column): Generator<Uint8Array> {
  for (let from = 0; from < byteLength; from += MOST_BYTES) {
    yield new Uint8Array(buffer, byteOffset + from, Math.min(MOST_BYTES, byteLength - from));
  }
}
