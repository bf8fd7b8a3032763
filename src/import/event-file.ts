// Files of events for `kindred evaluate`. A table (CSV, JSON Lines, Parquet, also gzipped) is read by the same code and with
// the same column names as `kindred import` reads it. Two formats of research papers, which have no columns, are read as well:
// - lines:     "user item item …" on each line (the files of the LightGCN and NGCF papers)
// - sequences: line n holds the items of user n, oldest first (the files of next-item papers)
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { EventRecord } from '../client/api-types.ts';
import { namesEvents } from './column-names.ts';
import { guessSeparator } from './csv-rows.ts';
import { openBytes, openSource, tableFormatOf } from './file-source.ts';
import { type PlanOptions, planImport } from './import-plan.ts';
import { RowError, recordMaker } from './record-maker.ts';
import type { FileFormat } from './source.ts';
import { peekRows, UnreadableTable } from './table.ts';

export const EVENT_FILE_FORMATS = ['lines', 'sequences', 'csv', 'jsonl', 'parquet'] as const;
export type EventFileFormat = (typeof EVENT_FILE_FORMATS)[number];

export interface FileEvent {
  user: string;
  item: string;
  /** null where the file has no time */
  ts: number | null;
  /** null where the file has no types */
  type: string | null;
  value: number;
}

export interface EventFileOptions {
  /** Guessed if left out. */
  format?: EventFileFormat;
  map?: PlanOptions['map'];
}

export interface EventFile {
  format: EventFileFormat;
  /** What was guessed about the columns, for messages. */
  notes: string[];
  events: AsyncIterable<FileEvent>;
}

const SNIFFED_LINES = 2000;
const SAMPLE_ROWS = 1000;

export async function openEventFile(path: string, options: EventFileOptions = {}): Promise<EventFile> {
  const format = options.format ?? (await sniffFormat(path));
  if (format === 'lines' || format === 'sequences') return { format, notes: [], events: lineEvents(path, format) };
  return tableEvents(path, format, options.map);
}

/** A table by its name or header, user lines (every line begins with another id) or sequences. */
async function sniffFormat(path: string): Promise<EventFileFormat> {
  const named = await tableFormatOf(path);
  if (named !== null) return named;
  const firsts: string[] = [];
  for await (const line of linesOf(path)) {
    const text = line.trim();
    if (text === '') continue;
    if (firsts.length === 0 && isHeader(text)) return 'csv';
    firsts.push(text.split(/\s+/, 1)[0]);
    if (firsts.length >= SNIFFED_LINES) break;
  }
  if (firsts.length === 0) throw new UnreadableTable(`${path} is empty`);
  return new Set(firsts).size === firsts.length && firsts.length > 1 ? 'lines' : 'sequences';
}

/** Ids of the formats without columns are separated by spaces, perhaps tabs, but never by these. */
function isHeader(line: string): boolean {
  return /[,;|]/.test(line) || namesEvents(line.split(guessSeparator(line)));
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const { bytes, close } = await openBytes(path);
  const reader = createInterface({ input: bytes as Readable, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of reader) yield line;
  } finally {
    await close();
  }
}

async function* lineEvents(path: string, format: 'lines' | 'sequences'): AsyncGenerator<FileEvent> {
  let row = 0;
  for await (const line of linesOf(path)) {
    const tokens = line.trim().split(/\s+/).filter(Boolean);
    const user = format === 'lines' ? tokens.shift() : String(row);
    row++;
    if (user === undefined) continue;
    for (const [place, item] of tokens.entries()) yield { user, item, ts: place, type: null, value: 1 };
  }
}

async function tableEvents(path: string, format: FileFormat, map: PlanOptions['map']): Promise<EventFile> {
  const source = await openSource(path, { format });
  const { sample, table } = await peekRows(source.table, SAMPLE_ROWS);
  const plan = planImport(table, sample, { kind: 'events', map, timeOptional: true });
  const make = recordMaker(plan);
  const hasTime = plan.fields.ts !== undefined;
  const hasType = plan.fields.event_type !== undefined;
  async function* events(): AsyncGenerator<FileEvent> {
    let row = 0;
    try {
      for await (const piece of table.pieces) {
        for (const cells of piece) {
          row++;
          const { user_id, item_id, ts, event_type, event_value } = recordOf(cells, row);
          yield {
            user: user_id,
            item: item_id,
            ts: hasTime ? ts : null,
            type: hasType ? event_type : null,
            value: event_value ?? 1,
          };
        }
      }
    } finally {
      await source.close();
    }
  }
  function recordOf(cells: Parameters<typeof make>[0], row: number): EventRecord {
    try {
      return make(cells) as EventRecord;
    } catch (error) {
      throw error instanceof RowError ? new UnreadableTable(`${path}, row ${row}: ${error.message}`) : error;
    }
  }
  return { format, notes: plan.notes.filter((note) => !note.startsWith('event_id')), events: events() };
}
