// A file before it becomes records: named columns and rows of cells, in pieces as they are read. CSV gives text cells. JSON
// Lines, Parquet and similar formats give values of any type.
import { CsvRows, guessSeparator } from './csv-rows.ts';
import { type ByteChunks, decode, UnreadableTable, withLineFeeds } from './decode-text.ts';
import { parseJson } from './parse-json.ts';
import { UnreadableRow } from './unreadable-row.ts';

export { UnreadableTable } from './decode-text.ts';
export { UnreadableRow } from './unreadable-row.ts';

export interface Table {
  columns: string[];
  /** Text cells need their type guessed; typed cells have it. In JSON a large whole number may be a number or an id. */
  cells: 'text' | 'typed' | 'json';
  /** Separator between the cells of a line of text. */
  separator?: string;
  /** Pieces of rows in the file's order. A row that could not be read is an UnreadableRow. */
  pieces: AsyncIterable<TableRow[]>;
}

export type TableRow = unknown[] | UnreadableRow;

/** Longer than a call to the service may be: such a line is not a row of a table. */
const MAX_ROW_CHARACTERS = 32 * 1024 * 1024;

export interface TextOptions {
  /** `utf-8` unless given or marked at the start of the file; MovieLens' older files are `latin1`. */
  encoding?: string;
}

export interface CsvOptions extends TextOptions {
  separator?: string;
  quoted?: boolean;
  /** Names of the columns, for files without a header line. */
  columns?: string[];
}

export async function csvTable(chunks: ByteChunks, options: CsvOptions = {}): Promise<Table> {
  const texts = withLineFeeds(decode(chunks, options.encoding));
  const first = await firstLine(texts);
  const separator = options.separator ?? guessSeparator(first.split('\n', 1)[0]);
  const parser = new CsvRows(separator, options.quoted);
  let opening = parser.push(first);
  while (opening.length === 0) {
    const { done, value } = await texts.next();
    opening = done ? parser.end() : parser.push(value);
    if (done) break;
  }
  const columns = options.columns ?? columnsOf(opening.shift() ?? []);
  async function* pieces() {
    if (opening.length > 0) yield opening;
    for await (const text of texts) {
      const rows = parser.push(text);
      refuseEndlessRow(parser.held, 'it may be no CSV file');
      if (rows.length > 0) yield rows;
    }
    const last = parser.end();
    if (last.length > 0) yield last;
  }
  const fit = (row: TableRow): TableRow => withoutExtraCells(row, columns.length, separator);
  async function* fittingPieces() {
    for await (const piece of pieces()) yield piece.map(fit);
  }
  return { columns, cells: 'text', separator, pieces: fittingPieces() };
}

/**
 * Rejects rows with more cells than columns, because the columns of their cells are unclear. Separators at the end of a line are
 * allowed.
 */
function withoutExtraCells(row: TableRow, columns: number, separator: string): TableRow {
  if (row instanceof UnreadableRow || row.length <= columns) return row;
  if (row.slice(columns).every((cell) => cell === '')) return row.slice(0, columns);
  return new UnreadableRow(row.join(separator), `the row has ${row.length} cells, but there are ${columns} columns`);
}

function columnsOf(header: TableRow): string[] {
  if (header instanceof UnreadableRow) throw new UnreadableTable(`the header cannot be read: ${header.message}`);
  return header.map((column) => String(column).trim());
}

/** The text up to a piece that ends the first line that is not empty. */
async function firstLine(texts: AsyncGenerator<string, undefined>): Promise<string> {
  let read = '';
  for (;;) {
    const { done, value } = await texts.next();
    if (done) return read;
    const text = read === '' ? value.replace(/^[\r\n]+/, '') : value;
    read += text;
    if (text.includes('\n')) return read;
    refuseEndlessRow(read, 'it may be no CSV file');
  }
}

/** Columns of JSON Lines: every key of the first piece's objects, in order of appearance. Later keys are added as they come. */
export async function jsonLinesTable(chunks: ByteChunks, options: TextOptions = {}): Promise<Table> {
  const columns: string[] = [];
  const indexes = new Map<string, number>();
  const toRow = (line: string): TableRow => {
    let value: unknown;
    try {
      value = parseJson(line);
    } catch (error) {
      return new UnreadableRow(line, `not JSON: ${(error as Error).message}`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return new UnreadableRow(line, 'not a JSON object');
    }
    const row: unknown[] = [];
    for (const [key, cell] of Object.entries(value)) {
      let index = indexes.get(key);
      if (index === undefined) {
        index = columns.push(key) - 1;
        indexes.set(key, index);
      }
      row[index] = cell;
    }
    return row;
  };
  const lines = lineGroups(decode(chunks, options.encoding));
  const first = await lines.next();
  const opening = first.done ? [] : first.value.map(toRow);
  if (!first.done && columns.length === 0) refuseWholeJson(first.value[0].trim());
  async function* pieces() {
    if (opening.length > 0) yield opening;
    for await (const group of lines) yield group.map(toRow);
  }
  return { columns, cells: 'json', pieces: pieces() };
}

function refuseWholeJson(line: string): void {
  const one = 'JSON Lines have one object per line: convert it with jq -c';
  if (line.startsWith('[')) throw new UnreadableTable(`the file is a JSON array. ${one} ".[]"`);
  if (line === '{') throw new UnreadableTable(`an object of the file is on several lines. ${one} .`);
}

async function* lineGroups(texts: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    refuseEndlessRow(rest, 'it may be no JSON Lines file');
    const full = lines.filter((line) => line.trim() !== '');
    if (full.length > 0) yield full;
  }
  if (rest.trim() !== '') yield [rest];
}

function refuseEndlessRow(row: string, hint: string): void {
  if (row.length <= MAX_ROW_CHARACTERS) return;
  const start = JSON.stringify(row.slice(0, 60));
  throw new UnreadableTable(
    `a row does not end within ${MAX_ROW_CHARACTERS.toLocaleString('en-US')} characters; it begins ${start}: ${hint}`,
  );
}

/** The first rows of a table, put back in front of the rest: what guesses about its columns are made from. */
export async function peekRows(table: Table, count: number): Promise<{ sample: TableRow[]; table: Table }> {
  const iterator = table.pieces[Symbol.asyncIterator]();
  const read: TableRow[][] = [];
  let rows = 0;
  while (rows < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    read.push(value);
    rows += value.length;
  }
  async function* pieces() {
    yield* read;
    try {
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { sample: read.flat().slice(0, count), table: { ...table, pieces: pieces() } };
}
