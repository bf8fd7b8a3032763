// A file on disk → a table: finds its format and compression, and counts the bytes read, for the progress bar.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { movieLensFile } from './movielens.ts';
import type { FileFormat, Source } from './source.ts';
import { type CsvOptions, csvTable, jsonLinesTable, UnreadableTable } from './table.ts';

export interface SourceOptions {
  format?: FileFormat;
  separator?: string;
  encoding?: string;
  movielens?: boolean;
}

interface FileBytes {
  /** The decompressed content. */
  bytes: Readable;
  /** Bytes read of the file on disk, before decompression. */
  bytesRead(): number;
  close(): Promise<void>;
}

const READ_CHUNK_BYTES = 1 << 18;

export async function openSource(path: string, options: SourceOptions): Promise<Source> {
  const facts = await stat(path).catch(() => {
    throw new UnreadableTable(`cannot find the file ${path}`);
  });
  if (!facts.isFile()) throw new UnreadableTable(`${path} is not a file`);
  const head = await firstBytes(path);
  const format = options.format ?? tableFormat(path, head) ?? 'csv';
  const common = { format, sizeBytes: facts.size, modifiedMs: Math.trunc(facts.mtimeMs), gzip: isGzip(head) };
  if (format === 'parquet') {
    const { openParquet } = await import('./parquet-table.ts');
    return { ...common, ...(await openParquet(path)) };
  }
  const { bytes, bytesRead, close } = await openBytes(path);
  const csv: CsvOptions = {
    ...(options.movielens ? movieLensFile(path)?.csv : undefined),
    ...(options.separator ? { separator: options.separator } : {}),
    ...(options.encoding ? { encoding: options.encoding } : {}),
  };
  return {
    ...common,
    table:
      format === 'jsonl' ? await jsonLinesTable(bytes, { encoding: options.encoding }) : await csvTable(bytes, csv),
    fractionRead: () => (facts.size === 0 ? 1 : bytesRead() / facts.size),
    close,
  };
}

/** The file's content, decompressed if it is gzip, whatever its name. */
export async function openBytes(path: string): Promise<FileBytes> {
  const gzip = isGzip(await firstBytes(path));
  const raw = createReadStream(path, { highWaterMark: READ_CHUNK_BYTES });
  // The error of a broken archive reaches the reader through the destroyed stream.
  const bytes = gzip ? pipeline(raw, createGunzip({ chunkSize: READ_CHUNK_BYTES }), () => {}) : raw;
  return {
    bytes,
    bytesRead: () => raw.bytesRead,
    async close() {
      raw.destroy();
      bytes.destroy();
    },
  };
}

/** The format that the name or the first bytes show; null if they do not. */
export async function tableFormatOf(path: string): Promise<FileFormat | null> {
  return tableFormat(path, await firstBytes(path));
}

function tableFormat(path: string, head: Uint8Array): FileFormat | null {
  const name = basename(path).toLowerCase().replace(/\.gz$/, '');
  if (String.fromCharCode(...head) === 'PAR1' || name.endsWith('.parquet')) return 'parquet';
  // An unnamed stream that opens with a brace can only be JSON Lines.
  if (/\.(jsonl|ndjson|json)$/.test(name) || head[0] === 0x7b) return 'jsonl';
  return /\.(csv|tsv)$/.test(name) ? 'csv' : null;
}

const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b;

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
