// Parquet files as tables, one row group at a time. Loaded only when a Parquet file is imported.
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Source } from './source.ts';
import { type TableRow, UnreadableTable } from './table.ts';

export async function openParquet(path: string): Promise<Pick<Source, 'table' | 'fractionRead' | 'close'>> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file).catch((error: Error) => {
    throw new UnreadableTable(`${path} is not a Parquet file that can be read: ${error.message}`);
  });
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  const totalRows = Number(metadata.num_rows);
  let rowsRead = 0;
  async function* pieces(): AsyncGenerator<TableRow[]> {
    for (const group of metadata.row_groups) {
      const rowEnd = rowsRead + Number(group.num_rows);
      let rows: unknown[][] = [];
      await parquetRead({
        file,
        metadata,
        compressors,
        rowStart: rowsRead,
        rowEnd,
        onComplete: (complete) => {
          rows = complete as unknown[][];
        },
      });
      rowsRead = rowEnd;
      yield rows;
    }
  }
  return {
    table: { columns, cells: 'typed', pieces: pieces() },
    fractionRead: () => (totalRows === 0 ? 1 : rowsRead / totalRows),
    async close() {},
  };
}
