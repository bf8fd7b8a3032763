// A Parquet file as a table, one row group at a time. Runs in a browser too: where the bytes come from and how they are unpacked, the
// caller says.
import { type AsyncBuffer, type Compressors, parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import { type Table, type TableRow, UnreadableTable } from './table.ts';

/** A row group is read as a whole. */
const MAX_GROUP_BYTES = 1024 ** 3;

export interface ParquetSource {
  readonly name: string;
  readonly file: AsyncBuffer;
  readonly compressors: Compressors;
}

export async function parquetRows({ name, file, compressors }: ParquetSource): Promise<{
  table: Table;
  fractionRead: () => number;
}> {
  const metadata = await parquetMetadataAsync(file).catch((error: Error) => {
    throw new UnreadableTable(`${name} is not a Parquet file that can be read: ${error.message}`);
  });
  const largest = metadata.row_groups.reduce((most, group) => Math.max(most, Number(group.total_byte_size)), 0);
  if (largest > MAX_GROUP_BYTES) {
    throw new UnreadableTable(`${name} has row groups over 1 GiB. Write it again with smaller row groups`);
  }
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
  };
}
