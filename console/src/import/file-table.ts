// A chosen file → a table of rows, read as a stream. The format follows from its name, else from its first character.
import { csvTable, jsonLinesTable, peekRows, type Table, type TableRow } from '../../../src/import/table.ts';

export interface OpenedFile {
  table: Table;
  sample: TableRow[];
  /** Bytes of the file read so far, before decompression. */
  bytesRead: () => number;
}

export const ACCEPTED_FILES = ['.csv', '.tsv', '.txt', '.jsonl', '.ndjson', '.json', '.gz', '.parquet'];
const SAMPLE_ROWS = 100;

export async function openFile(file: File): Promise<OpenedFile> {
  if (/\.parquet$/i.test(file.name)) return openParquet(file);
  let bytes = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        controller.enqueue(chunk);
      },
    }),
  );
  const zipped = /\.gz$/i.test(file.name);
  const stream = zipped ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  const chunks = chunksOf(stream);
  const isJson = /\.(jsonl|ndjson|json)(\.gz)?$/i.test(file.name);
  const table = isJson ? await jsonLinesTable(chunks) : await csvTable(chunks);
  const peeked = await peekRows(table, SAMPLE_ROWS);
  return { ...peeked, bytesRead: () => bytes };
}

async function openParquet(file: File): Promise<OpenedFile> {
  const { parquetFile } = await import('./parquet-file.ts');
  const { table, fractionRead } = await parquetFile(file);
  return { ...(await peekRows(table, SAMPLE_ROWS)), bytesRead: () => fractionRead() * file.size };
}

/** Needed because some browsers cannot iterate a stream yet. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
