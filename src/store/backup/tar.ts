// The file format of a backup is tar, so that any system can look into it: written entry by entry, read by position.
// Only what a backup needs: regular files, names of 255 bytes, sizes without limit (GNU's binary form above 8 GiB).
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';

const BLOCK = 512;
const MAX_OCTAL_SIZE = 8 ** 11;
const REGULAR_FILE = '0';
/** A backup has far fewer entries. The limit bounds the memory of a crafted file. */
const MAX_ENTRIES = 1_000_000;

export interface TarEntry {
  name: string;
  bytes: number;
  offset: number;
}

export class TarWriter {
  readonly #handle: FileHandle;
  /** when the archive was started; all its entries carry this time */
  readonly createdMs: number;

  private constructor(handle: FileHandle, createdMs: number) {
    this.#handle = handle;
    this.createdMs = createdMs;
  }

  /** Creates a file that only its owner can read, because a backup holds credentials. */
  static async create(path: string, nowMs: number): Promise<TarWriter> {
    return new TarWriter(await open(path, 'wx', 0o600), nowMs);
  }

  async add(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#handle.appendFile(header(name, bytes, this.createdMs));
    let written = 0;
    for await (const chunk of content) {
      await this.#handle.appendFile(chunk);
      written += chunk.byteLength;
    }
    if (written !== bytes) throw new Error(`${name} changed while it was copied: ${written} of ${bytes} bytes`);
    await this.#handle.appendFile(Buffer.alloc(padding(bytes)));
  }

  /** Writes the end mark and syncs the file. Without the mark, a file counts as cut off. */
  async finish(): Promise<void> {
    await this.#handle.appendFile(Buffer.alloc(2 * BLOCK));
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/**
 * Returns every entry in order. Throws if the file is cut off, is not a tar file or contains anything but regular files: a backup
 * has no folders or links.
 */
export async function readTarEntries(path: string): Promise<TarEntry[]> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const entries: TarEntry[] = [];
    const block = Buffer.alloc(BLOCK);
    for (let at = 0; ; ) {
      const { bytesRead } = await handle.read(block, 0, BLOCK, at);
      if (bytesRead < BLOCK) throw new Error('the file is cut off');
      if (block.every((byte) => byte === 0)) return entries;
      if (checksum(block) !== Number.parseInt(block.toString('latin1', 148, 156), 8))
        throw new Error('it is no tar file');
      const bytes = readSize(block);
      const prefix = text(block, 345, 500);
      const offset = at + BLOCK;
      if (block.toString('latin1', 156, 157) !== REGULAR_FILE) throw new Error('it has links or folders');
      if (!Number.isSafeInteger(bytes) || bytes < 0) throw new Error('it has a part of impossible size');
      if (entries.length === MAX_ENTRIES) throw new Error('it has too many parts');
      if (offset + bytes > size) throw new Error('the file is cut off');
      entries.push({ name: (prefix === '' ? '' : `${prefix}/`) + text(block, 0, 100), bytes, offset });
      at = offset + bytes + padding(bytes);
    }
  } finally {
    await handle.close();
  }
}

export function tarContent(path: string, { offset, bytes }: TarEntry): Readable {
  // `end` is inclusive, so it cannot say "nothing".
  return bytes === 0 ? Readable.from([]) : createReadStream(path, { start: offset, end: offset + bytes - 1 });
}

function header(name: string, bytes: number, createdMs: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const [prefix, rest] = name.length <= 100 ? ['', name] : [dirname(name), basename(name)];
  if (rest.length > 100 || prefix.length > 155) throw new Error(`${name} is too long a name for a backup`);
  block.write(rest, 0, 'latin1');
  block.write('0000600\0', 100, 'latin1');
  block.write('0000000\0', 108, 'latin1');
  block.write('0000000\0', 116, 'latin1');
  if (bytes < MAX_OCTAL_SIZE) {
    block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  } else {
    block.writeUInt8(0x80, 124);
    block.writeBigUInt64BE(BigInt(bytes), 128);
  }
  block.write(
    `${Math.floor(createdMs / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
    'latin1',
  );
  block.write('0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(prefix, 345, 'latin1');
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The sum of all bytes, those of the checksum itself counted as spaces. */
function checksum(block: Buffer): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

/** Returns NaN if the field is not a number. */
function readSize(block: Buffer): number {
  if (block[124] === 0x80) return Number(block.readBigUInt64BE(128));
  const octal = text(block, 124, 136).trim();
  return /^[0-7]+$/.test(octal) ? Number.parseInt(octal, 8) : Number.NaN;
}

function text(block: Buffer, from: number, to: number): string {
  const bytes = block.subarray(from, to);
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
}

function padding(bytes: number): number {
  return (BLOCK - (bytes % BLOCK)) % BLOCK;
}
