// The file format of a model: a fixed header, a JSON header, then typed sections.
//
//   0  magic "KINDRED\n"          8 bytes
//   8  format version             u32    16  bytes of the whole file       u64
//  12  bytes of the JSON header   u32    24  CRC-32 of the JSON header     u32
//                                        28  CRC-32 of bytes 0 to 27       u32
//  32  JSON header (UTF-8): { kind, meta, sections: [{ name, type, offset, length, crc32 }] }
//      sections, each at a multiple of 64 bytes (counted from the file's start), little-endian, zero-filled between
//
// Invariants: every byte is under a checksum or must be zero; an offset or length that does not fit the file is refused before
// anything is allocated for it. A change that an older reader would misread raises FORMAT_VERSION; readers keep reading older ones.

export const MAGIC = Buffer.from('KINDRED\n', 'latin1');
export const FORMAT_VERSION = 1;
export const FIXED_HEADER_BYTES = 32;
export const SECTION_ALIGNMENT = 64;
export const MAX_JSON_BYTES = 64 * 1024 * 1024;

const SECTION_ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f16: Float16Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

export type SectionType = keyof typeof SECTION_ARRAYS;

interface SectionArrays {
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
  i32: Int32Array;
  f16: Float16Array;
  f32: Float32Array;
  f64: Float64Array;
}
export type SectionArray<T extends SectionType = SectionType> = SectionArrays[T];

export interface SectionEntry {
  readonly name: string;
  readonly type: SectionType;
  /** position in bytes from the file's start */
  readonly offset: number;
  /** number of elements, not bytes */
  readonly length: number;
  readonly crc32: number;
}

export interface ArtifactHeader {
  /** the kind of content, e.g. "g1-model" */
  readonly kind: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly sections: readonly SectionEntry[];
}

/** A file that cannot be used as a model; the message says what to do. */
export class ArtifactError extends Error {
  readonly reason: 'damaged' | 'newer' | 'foreign';

  constructor(reason: ArtifactError['reason'], message: string) {
    super(message);
    this.name = 'ArtifactError';
    this.reason = reason;
  }
}

export function isSectionType(type: unknown): type is SectionType {
  return typeof type === 'string' && Object.hasOwn(SECTION_ARRAYS, type);
}

export function bytesPerElement(type: SectionType): number {
  return SECTION_ARRAYS[type].BYTES_PER_ELEMENT;
}

export function sectionTypeOf(array: SectionArray): SectionType {
  for (const type of Object.keys(SECTION_ARRAYS) as SectionType[]) {
    if (array instanceof SECTION_ARRAYS[type]) return type;
  }
  throw new TypeError(`A section cannot hold a ${(array as object).constructor.name}.`);
}

export function sectionView(type: SectionType, buffer: SharedArrayBuffer, length: number): SectionArray {
  const SectionClass = SECTION_ARRAYS[type] as new (
    buffer: SharedArrayBuffer,
    offset: number,
    length: number,
  ) => SectionArray;
  return new SectionClass(buffer, 0, length);
}

export function aligned(offset: number): number {
  return Math.ceil(offset / SECTION_ALIGNMENT) * SECTION_ALIGNMENT;
}

/** The format is little-endian and sections are used where they lie. */
export function requireLittleEndian(): void {
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1) {
    throw new ArtifactError('foreign', 'Model files need a little-endian machine (x86-64, ARM64).');
  }
}
