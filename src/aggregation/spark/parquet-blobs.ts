// Columns of whole numbers and floats, as Parquet files in the artifact store: what Kindred and Spark hand each other.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetScan, type SchemaElement } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { BlobStore } from '../../store/blob-store.ts';

export type Columns = Readonly<Record<string, Int32Array | Float32Array>>;

export async function putColumns(
  blobs: Pick<BlobStore, 'putFile'>,
  scratchDir: string,
  key: string,
  columns: Columns,
): Promise<void> {
  const columnData = Object.entries(columns).map(([name, data]) => ({
    name,
    data,
    nullable: false,
    type: data instanceof Int32Array ? ('INT32' as const) : ('FLOAT' as const),
  }));
  await put(blobs, scratchDir, key, parquetWriteBuffer({ columnData }));
}

/** Columns of lists: one row has a list of whole numbers in each. */
export async function putLists(
  blobs: Pick<BlobStore, 'putFile'>,
  scratchDir: string,
  key: string,
  columns: Readonly<Record<string, readonly Uint32Array[]>>,
): Promise<void> {
  const columnData = Object.entries(columns).map(([name, data]) => ({
    name,
    data: data.map((row) => Array.from(row)),
  }));
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columnData.length },
    ...columnData.flatMap(({ name }): SchemaElement[] => [
      { name, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'REQUIRED', type: 'INT32' },
    ]),
  ];
  await put(blobs, scratchDir, key, parquetWriteBuffer({ columnData, schema }));
}

export async function putText(
  blobs: Pick<BlobStore, 'putFile'>,
  scratchDir: string,
  key: string,
  text: string,
): Promise<void> {
  await put(blobs, scratchDir, key, new TextEncoder().encode(text).buffer);
}

async function put(
  blobs: Pick<BlobStore, 'putFile'>,
  scratchDir: string,
  key: string,
  content: ArrayBuffer,
): Promise<void> {
  const path = join(scratchDir, key.replaceAll('/', '-'));
  await writeFile(path, new Uint8Array(content));
  await blobs.putFile(key, path);
}

/** Columns of all files below a prefix, some rows at a time, in no particular order. Throws unless there are `rows` of them. */
export async function* readColumns<Name extends string>(
  blobs: Pick<BlobStore, 'list' | 'localFile'>,
  { prefix, rows }: { readonly prefix: string; readonly rows: number },
  names: readonly Name[],
): AsyncGenerator<Record<Name, ArrayLike<number>>> {
  let found = 0;
  for await (const { key } of blobs.list(prefix)) {
    if (!key.endsWith('.parquet')) continue;
    const file = await asyncBufferFromFile(await blobs.localFile(key));
    const scan = await parquetScan({ file, compressors, columns: [...names] });
    for (const range of scan.ranges) {
      const columns = {} as Record<Name, ArrayLike<number>>;
      for (const column of names) columns[column] = (await scan.readColumn({ ...range, column })) as number[];
      found += columns[names[0]].length;
      yield columns;
    }
  }
  if (found !== rows) throw new Error(`Spark wrote ${rows} rows below ${prefix}, but ${found} are there.`);
}
