// Reads a model file into one SharedArrayBuffer and hands out its sections as views of it: threads share them, nothing is
// parsed but the JSON header. Anything that does not agree with its checksum is refused by name.
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import {
  ArtifactError,
  type ArtifactHeader,
  bytesPerElement,
  FIXED_HEADER_BYTES,
  FORMAT_VERSION,
  isSectionType,
  MAGIC,
  MAX_JSON_BYTES,
  requireLittleEndian,
  SECTION_ALIGNMENT,
  type SectionArray,
  type SectionEntry,
  type SectionType,
  sectionView,
} from './format.ts';

const PIECE_BYTES = 64 * 1024 * 1024;

export class Artifact {
  readonly kind: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly buffer: SharedArrayBuffer;
  readonly #sections: ReadonlyMap<string, SectionEntry>;
  readonly #path: string;

  constructor(path: string, header: ArtifactHeader, buffer: SharedArrayBuffer) {
    this.kind = header.kind;
    this.meta = header.meta;
    this.buffer = buffer;
    this.#sections = new Map(header.sections.map((entry) => [entry.name, entry]));
    this.#path = path;
  }

  section<T extends SectionType>(name: string, type: T): SectionArray<T> {
    const entry = this.#sections.get(name);
    if (entry === undefined || entry.type !== type) {
      throw damaged(this.#path, `section ${name} of type ${type} is missing`);
    }
    return sectionView(type, this.buffer, entry.offset, entry.length) as SectionArray<T>;
  }
}

export async function readArtifact(path: string): Promise<Artifact> {
  requireLittleEndian();
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const jsonBytes = await readFixedHeader(file, path, size);
    const buffer = new SharedArrayBuffer(size);
    await readInto(file, path, new Uint8Array(buffer));
    const header = readJsonHeader(new Uint8Array(buffer), path, jsonBytes);
    verifySections(buffer, path, header.sections, FIXED_HEADER_BYTES + jsonBytes);
    return new Artifact(path, header, buffer);
  } finally {
    await file.close();
  }
}

/** Answers the length of the JSON header. Nothing of the size the file claims is allocated before this has passed. */
async function readFixedHeader(file: FileHandle, path: string, size: number): Promise<number> {
  const fixed = Buffer.alloc(FIXED_HEADER_BYTES);
  const { bytesRead } = await file.read(fixed, 0, FIXED_HEADER_BYTES, 0);
  if (bytesRead < MAGIC.length || !fixed.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ArtifactError('foreign', `${path} is not a Kindred model file.`);
  }
  if (bytesRead < FIXED_HEADER_BYTES) throw damaged(path, `it ends after ${bytesRead} bytes`);
  if (crc32(fixed.subarray(0, 28)) !== fixed.readUInt32LE(28))
    throw damaged(path, 'its first bytes fail their checksum');
  const version = fixed.readUInt32LE(8);
  if (version > FORMAT_VERSION) {
    throw new ArtifactError(
      'newer',
      `${path} was written by a newer Kindred (file format ${version}; this one reads up to ${FORMAT_VERSION}). ` +
        'Upgrade Kindred on this machine, or train the model again with this version.',
    );
  }
  const expected = Number(fixed.readBigUInt64LE(16));
  if (expected !== size) throw damaged(path, `it has ${size} bytes instead of ${expected}`);
  const jsonBytes = fixed.readUInt32LE(12);
  if (jsonBytes > MAX_JSON_BYTES || FIXED_HEADER_BYTES + jsonBytes > size)
    throw damaged(path, 'its header does not fit');
  return jsonBytes;
}

function readJsonHeader(bytes: Uint8Array, path: string, jsonBytes: number): ArtifactHeader {
  const text = Buffer.from(bytes.slice(FIXED_HEADER_BYTES, FIXED_HEADER_BYTES + jsonBytes));
  const expected = new DataView(bytes.buffer).getUint32(24, true);
  if (crc32(text) !== expected) throw damaged(path, 'its header fails its checksum');
  const header = JSON.parse(text.toString('utf8')) as ArtifactHeader;
  for (const { name, type, offset, length } of header.sections) {
    const fits =
      isSectionType(type) &&
      Number.isSafeInteger(offset) &&
      offset % SECTION_ALIGNMENT === 0 &&
      Number.isSafeInteger(length) &&
      length >= 0 &&
      offset >= FIXED_HEADER_BYTES + jsonBytes &&
      offset + length * bytesPerElement(type) <= bytes.length;
    if (!fits) throw damaged(path, `section ${name} does not fit`);
  }
  return header;
}

function verifySections(buffer: SharedArrayBuffer, path: string, entries: readonly SectionEntry[], from: number): void {
  const bytes = new Uint8Array(buffer);
  let verified = from;
  for (const entry of entries) {
    if (!allZero(bytes, verified, entry.offset))
      throw damaged(path, `the bytes before section ${entry.name} are not zero`);
    verified = entry.offset + entry.length * bytesPerElement(entry.type);
    if (crc32(bytes.subarray(entry.offset, verified)) !== entry.crc32) {
      throw damaged(path, `section ${entry.name} fails its checksum`);
    }
  }
  if (!allZero(bytes, verified, bytes.length)) throw damaged(path, 'its last bytes are not zero');
}

function allZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false;
  return true;
}

async function readInto(file: FileHandle, path: string, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, Math.min(PIECE_BYTES, bytes.length - done), done);
    if (bytesRead === 0) throw damaged(path, `it ended while it was read, after ${done} bytes`);
    done += bytesRead;
  }
}

function damaged(path: string, what: string): ArtifactError {
  return new ArtifactError(
    'damaged',
    `${path} is damaged: ${what}. Restore the file from a backup, or train the model again.`,
  );
}
