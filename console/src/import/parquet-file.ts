// A chosen Parquet file. Loaded only when one is chosen.
import {
  decompressBrotli,
  decompressGzip,
  decompressLz4,
  decompressLz4Raw,
  decompressZstd,
} from 'hyparquet-compressors';
import { parquetRows } from '../../../src/import/parquet-rows.ts';

// Without the package's Snappy: it is WebAssembly, which the console's content security policy forbids. hyparquet has its own.
const compressors = {
  BROTLI: decompressBrotli,
  GZIP: decompressGzip,
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
  ZSTD: (input: Uint8Array) => decompressZstd(input),
};

export function parquetFile(file: File) {
  const source = {
    byteLength: file.size,
    slice: (from: number, to?: number) => file.slice(from, to).arrayBuffer(),
  };
  return parquetRows({ name: file.name, file: source, compressors });
}
