// Reads a model file, each section into a SharedArrayBuffer of its own: threads share them, nothing is parsed but the JSON
// header, and a section nobody holds any more is free. Anything that does not agree with its checksum is refused by name.
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
  sectionTypeOf,
  sectionView,
} from './format.ts';

/** Read and checked at a time: small enough that a serving thread is not held up. */
const PIECE_BYTES = 4 * 1024 * 1024;

export class Artifact {
  readonly kind: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly bytes: number;
  readonly #sections: ReadonlyMap<string, SectionArray>;
  readonly #path: string;

  constructor(path: string, header: ArtifactHeader, bytes: number, sections: ReadonlyMap<string, SectionArray>) {
    this.kind = header.kind;
    this.meta = header.meta;
    this.bytes = bytes;
    this.#sections = sections;
    this.#path = path;
  }

  section<T extends SectionType>(name: string, type: T): SectionArray<T> {
    const section = this.#sections.get(name);
    if (section === undefined || sectionTypeOf(section) !== type) {
      throw damaged(this.#path, `section ${name} of type ${type} is missing`);
    }
    return section as SectionArray<T>;
  }
}

export async function readArtifact(path: string): Promise<Artifact> {
  requireLittleEndian();
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { jsonBytes, jsonChecksum } = await readFixedHeader(file, path, size);
    const text = new Uint8Array(jsonBytes);
    if ((await readInto(file, path, text, FIXED_HEADER_BYTES)) !== jsonChecksum)
      throw damaged(path, 'its header fails its checksum');
    const header = readJsonHeader(Buffer.from(text).toString('utf8'), path, FIXED_HEADER_BYTES + jsonBytes, size);
    const sections = new Map<string, SectionArray>();
    let verified = FIXED_HEADER_BYTES + jsonBytes;
    for (const entry of header.sections) {
      await requireZeros(file, path, { from: verified, to: entry.offset, where: `before section ${entry.name}` });
      sections.set(entry.name, await readSection(file, path, entry));
      verified = entry.offset + entry.length * bytesPerElement(entry.type);
    }
    await requireZeros(file, path, { from: verified, to: size, where: 'at its end' });
    return new Artifact(path, header, size, sections);
  } finally {
    await file.close();
  }
}

/** Must pass before anything of the size that the file claims is allocated. */
async function readFixedHeader(
  file: FileHandle,
  path: string,
  size: number,
): Promise<{ jsonBytes: number; jsonChecksum: number }> {
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
  return { jsonBytes, jsonChecksum: fixed.readUInt32LE(24) };
}

function readJsonHeader(text: string, path: string, from: number, size: number): ArtifactHeader {
  const header = JSON.parse(text) as ArtifactHeader;
  let end = from;
  for (const { name, type, offset, length } of header.sections) {
    const fits =
      isSectionType(type) &&
      Number.isSafeInteger(offset) &&
      offset % SECTION_ALIGNMENT === 0 &&
      offset >= end &&
      Number.isSafeInteger(length) &&
      length >= 0 &&
      offset + length * bytesPerElement(type) <= size;
    if (!fits) throw damaged(path, `section ${name} does not fit`);
    end = offset + length * bytesPerElement(type);
  }
  return header;
}

async function readSection(file: FileHandle, path: string, entry: SectionEntry): Promise<SectionArray> {
  const bytes = new Uint8Array(new SharedArrayBuffer(entry.length * bytesPerElement(entry.type)));
  if ((await readInto(file, path, bytes, entry.offset)) !== entry.crc32)
    throw damaged(path, `section ${entry.name} fails its checksum`);
  return sectionView(entry.type, bytes.buffer, entry.length);
}

async function requireZeros(
  file: FileHandle,
  path: string,
  { from, to, where }: { from: number; to: number; where: string },
): Promise<void> {
  const bytes = new Uint8Array(to - from);
  await readInto(file, path, bytes, from);
  if (bytes.some((byte) => byte !== 0)) throw damaged(path, `the bytes ${where} are not zero`);
}

/** Fills `bytes` from the file and returns their checksum. */
async function readInto(file: FileHandle, path: string, bytes: Uint8Array, from: number): Promise<number> {
  let checksum = 0;
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, Math.min(PIECE_BYTES, bytes.length - done), from + done);
    if (bytesRead === 0) throw damaged(path, `it ended while it was read, after ${from + done} bytes`);
    checksum = crc32(bytes.subarray(done, done + bytesRead), checksum);
    done += bytesRead;
  }
  return checksum;
}

function damaged(path: string, what: string): ArtifactError {
  return new ArtifactError(
    'damaged',
    `${path} is damaged: ${what}. Restore the file from a backup, or train the model again.`,
  );
}
