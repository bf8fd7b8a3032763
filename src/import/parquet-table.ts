// Parquet files of a disk as tables. Loaded only when a Parquet file is imported.
import { asyncBufferFromFile } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetRows } from './parquet-rows.ts';
import type { Source } from './source.ts';

export async function openParquet(path: string): Promise<Pick<Source, 'table' | 'fractionRead' | 'close'>> {
  const file = await asyncBufferFromFile(path);
  return { ...(await parquetRows({ name: path, file, compressors })), async close() {} };
}
