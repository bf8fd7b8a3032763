// Writes a model file whole or not at all: into a temporary file next to the target, synced, renamed, and the folder synced.
// Sections go out in pieces straight from their arrays; nothing is copied as a whole.
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFile } from '../base/sync-file.ts';
import { uniqueName } from '../base/system.ts';
import {
  aligned,
  FIXED_HEADER_BYTES,
  FORMAT_VERSION,
  MAGIC,
  MAX_JSON_BYTES,
  requireLittleEndian,
  type SectionArray,
  type SectionEntry,
  sectionTypeOf,
} from './format.ts';

const PIECE_BYTES = 8 * 1024 * 1024;

export interface ArtifactContent {
  readonly kind: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly sections: ReadonlyMap<string, SectionArray>;
}

/** Returns the size of the file in bytes. */
export async function writeArtifact(path: string, content: ArtifactContent): Promise<number> {
  requireLittleEndian();
  const { head, entries, totalBytes } = layOut(content);
  const temporary = `${path}.${uniqueName(6)}.part`;
  const file = await open(temporary, 'wx');
  try {
    let at = await writeAt(file, head, 0);
    for (const entry of entries) {
      at = await writeAt(file, Buffer.alloc(entry.offset - at), at);
      at = await writeAt(file, bytesOf(content.sections.get(entry.name)!), at);
    }
    await writeAt(file, Buffer.alloc(totalBytes - at), at);
    await file.sync();
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFile(dirname(path));
  return totalBytes;
}

function layOut(content: ArtifactContent): { head: Buffer; entries: SectionEntry[]; totalBytes: number } {
  const arrays = [...content.sections].map(([name, array]) => ({ name, array, crc32: checksumOf(bytesOf(array)) }));
  const json = (firstOffset: number): { text: Buffer; entries: SectionEntry[]; end: number } => {
    let offset = firstOffset;
    const entries = arrays.map(({ name, array, crc32 }) => {
      const entry = { name, type: sectionTypeOf(array), offset, length: array.length, crc32 };
      offset = aligned(offset + array.byteLength);
      return entry;
    });
    const text = Buffer.from(JSON.stringify({ kind: content.kind, meta: content.meta, sections: entries }), 'utf8');
    return { text, entries, end: offset };
  };
  // The offsets are in the header whose length they depend on, so room is left for their digits.
  const first = aligned(FIXED_HEADER_BYTES + json(0).text.length + 16 * arrays.length);
  const { text, entries, end } = json(first);
  if (text.length > MAX_JSON_BYTES) {
    throw new RangeError(
      `A model file's header has room for ${MAX_JSON_BYTES} bytes, and this one needs ${text.length}.`,
    );
  }
  const fixed = Buffer.alloc(FIXED_HEADER_BYTES);
  MAGIC.copy(fixed);
  fixed.writeUInt32LE(FORMAT_VERSION, 8);
  fixed.writeUInt32LE(text.length, 12);
  fixed.writeBigUInt64LE(BigInt(end), 16);
  fixed.writeUInt32LE(crc32(text), 24);
  fixed.writeUInt32LE(crc32(fixed.subarray(0, 28)), 28);
  return { head: Buffer.concat([fixed, text]), entries, totalBytes: end };
}

async function writeAt(file: FileHandle, bytes: Uint8Array, at: number): Promise<number> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, Math.min(PIECE_BYTES, bytes.length - done), at + done);
    done += bytesWritten;
  }
  return at + bytes.length;
}

/** Piece by piece, because one call does not take more than 2 GiB. */
function checksumOf(bytes: Uint8Array): number {
  let checksum = 0;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    checksum = crc32(bytes.subarray(at, at + PIECE_BYTES), checksum);
  return checksum;
}

function bytesOf(array: SectionArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
