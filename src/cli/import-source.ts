// A file on disk → a table: finds its format and compression, and counts the bytes read, for the progress bar.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { movieLensFile } from '../import/movielens.ts';
import { type CsvOptions, csvTable, jsonLinesTable, type Table } from '../import/table.ts';
import { UsageError } from './exit-codes.ts';

export const FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type FileFormat = (typeof FORMATS)[number];

export interface SourceOptions {
  format?: FileFormat;
  separator?: string;
  encoding?: string;
  movielens?: boolean;
}

export interface Source {
  table: Table;
  format: FileFormat;
  /** Size and time of change: what tells that a file is still the one an interrupted import began with. */
  sizeBytes: number;
  modifiedMs: number;
  gzip: boolean;
  /** 0 to 1, by the bytes read so far. */
  fractionRead(): number;
  close(): Promise<void>;
}

const READ_CHUNK_BYTES = 1 << 18;

export async function openSource(path: string, options: SourceOptions): Promise<Source> {
  const facts = await stat(path).catch(() => {
    throw new UsageError(`there is no file ${path}`);
  });
  if (!facts.isFile()) throw new UsageError(`${path} is not a file`);
  const head = await firstBytes(path);
  const gzip = head[0] === 0x1f && head[1] === 0x8b;
  const format = options.format ?? guessFormat(path, head);
  const common = { format, sizeBytes: facts.size, modifiedMs: Math.trunc(facts.mtimeMs), gzip };
  if (format === 'parquet') {
    const { openParquet } = await import('./import-parquet.ts');
    return { ...common, ...(await openParquet(path)) };
  }
  const raw = createReadStream(path, { highWaterMark: READ_CHUNK_BYTES });
  // The error of a broken archive reaches the reader through the destroyed stream.
  const bytes = gzip ? pipeline(raw, createGunzip({ chunkSize: READ_CHUNK_BYTES }), () => {}) : raw;
  const csv: CsvOptions = {
    ...(options.movielens ? movieLensFile(path)?.csv : undefined),
    ...(options.separator ? { separator: options.separator } : {}),
    ...(options.encoding ? { encoding: options.encoding } : {}),
  };
  return {
    ...common,
    table:
      format === 'jsonl' ? await jsonLinesTable(bytes, { encoding: options.encoding }) : await csvTable(bytes, csv),
    fractionRead: () => (facts.size === 0 ? 1 : raw.bytesRead / facts.size),
    async close() {
      raw.destroy();
      bytes.destroy();
    },
  };
}

function guessFormat(path: string, head: Uint8Array): FileFormat {
  const name = basename(path).toLowerCase().replace(/\.gz$/, '');
  if (String.fromCharCode(...head.slice(0, 4)) === 'PAR1' || name.endsWith('.parquet')) return 'parquet';
  if (/\.(jsonl|ndjson|json)$/.test(name)) return 'jsonl';
  // An unnamed stream that opens with a brace can only be JSON Lines.
  return head[0] === 0x7b ? 'jsonl' : 'csv';
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
