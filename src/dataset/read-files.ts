// Event files for `kindred evaluate`, read line by line:
// - lines:     "user item item …" a line (the files of the LightGCN and NGCF papers)
// - sequences: line n holds the items of user n, oldest first (the files of next-item papers)
// - csv:       a header with user_id, item_id and optionally ts, event_type, event_value
// - jsonl:     one JSON object a line with the same names
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export type FileFormat = 'lines' | 'sequences' | 'csv' | 'jsonl';

export interface FileEvent {
  user: string;
  item: string;
  ts: number | null;
  type: string | null;
  value: number;
}

export class UnreadableFile extends Error {
  constructor(path: string, what: string) {
    super(`${path}: ${what}`);
    this.name = 'UnreadableFile';
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const input = createReadStream(path, 'utf8');
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of reader) yield line;
  } finally {
    input.destroy();
  }
}

const SNIFFED_LINES = 2000;

/** What the file looks like: JSON objects, a CSV header, user lines (every line begins with another id) or sequences. */
export async function sniffFormat(path: string): Promise<FileFormat> {
  const firsts: string[] = [];
  for await (const line of linesOf(path)) {
    const text = line.trim();
    if (text === '') continue;
    if (firsts.length === 0) {
      if (text.startsWith('{')) return 'jsonl';
      if (text.includes(',') && /user/i.test(text) && /item/i.test(text)) return 'csv';
    }
    firsts.push(text.split(/\s+/, 1)[0]);
    if (firsts.length >= SNIFFED_LINES) break;
  }
  if (firsts.length === 0) throw new UnreadableFile(path, 'the file is empty.');
  return new Set(firsts).size === firsts.length && firsts.length > 1 ? 'lines' : 'sequences';
}

export async function* readEventFile(path: string, format: FileFormat): AsyncGenerator<FileEvent> {
  if (format === 'csv') yield* readCsv(path);
  else if (format === 'jsonl') yield* readJsonLines(path);
  else {
    let row = 0;
    for await (const line of linesOf(path)) {
      const tokens = line.trim().split(/\s+/).filter(Boolean);
      const user = format === 'lines' ? tokens.shift() : String(row);
      row++;
      if (user === undefined) continue;
      for (const [place, item] of tokens.entries()) yield { user, item, ts: place, type: null, value: 1 };
    }
  }
}

async function* readJsonLines(path: string): AsyncGenerator<FileEvent> {
  let row = 0;
  for await (const line of linesOf(path)) {
    row++;
    if (line.trim() === '') continue;
    let record: Record<string, unknown>;
    try {
      record = JSON.parse(line);
    } catch {
      throw new UnreadableFile(path, `line ${row} is not a JSON object.`);
    }
    yield toEvent(path, row, record);
  }
}

async function* readCsv(path: string): AsyncGenerator<FileEvent> {
  let names: string[] | null = null;
  let row = 0;
  for await (const line of linesOf(path)) {
    row++;
    if (line.trim() === '') continue;
    const cells = csvCells(line);
    if (names === null) {
      names = cells.map((cell) => cell.trim());
      continue;
    }
    const record: Record<string, unknown> = {};
    for (const [n, name] of names.entries()) record[name] = cells[n];
    yield toEvent(path, row, record);
  }
}

function csvCells(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (line[at + 1] === '"') cell += line[++at];
      else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === ',') {
      cells.push(cell);
      cell = '';
    } else cell += letter;
  }
  return [...cells, cell];
}

function toEvent(path: string, row: number, record: Record<string, unknown>): FileEvent {
  const user = record.user_id ?? record.user;
  const item = record.item_id ?? record.item;
  if (user === undefined || user === '' || item === undefined || item === '') {
    throw new UnreadableFile(path, `line ${row} lacks user_id or item_id.`);
  }
  const ts = record.ts ?? record.timestamp;
  const value = record.event_value ?? 1;
  const number = Number(value === '' ? 1 : value);
  const time = ts === undefined || ts === '' || ts === null ? null : Number(ts);
  if (Number.isNaN(number) || Number.isNaN(time))
    throw new UnreadableFile(path, `line ${row} has a ts or event_value that is no number.`);
  const type = record.event_type;
  return {
    user: String(user),
    item: String(item),
    ts: time,
    type: type === undefined || type === '' ? null : String(type),
    value: number,
  };
}
