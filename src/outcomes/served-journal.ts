// A file in which a node counts the lists it served before it says so to the store. Counts are written before their responses
// are sent, so that kill -9 loses none of them; only a machine that loses power loses what its system had not written yet.
//
//   000000000012 00000000000120 {"origin":{…},"hour":…}    lists and items; the digits are overwritten in place
//   v 3 1234567                                           the user with this number got a list of the third line
//
// The file holds a line per origin and hour, and one per user of an experiment, until the next flush.
import { closeSync, futimesSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { fileTimeNow } from '../base/system.ts';
import { isSameSeries, originKey, type RecommendationOrigin } from '../domain/recommendation.ts';
import type { ServedCount } from '../store/outcome-store.ts';

const LIST_DIGITS = 12;
const ITEM_DIGITS = 14;
const COUNT_BYTES = LIST_DIGITS + 1 + ITEM_DIGITS;

interface Line {
  readonly origin: RecommendationOrigin;
  readonly hour: number;
  lists: number;
  items: number;
  /** position of the line in the file */
  readonly at: number;
  readonly number: number;
}

export interface JournalContent {
  readonly counts: ServedCount[];
  readonly visitors: { origin: RecommendationOrigin; userHash: number }[];
}

export class ServedJournal {
  readonly path: string;
  readonly #file: number;
  readonly #lines = new Map<string, Line>();
  #last: Line | null = null;
  readonly #visitors = new Map<string, { origin: RecommendationOrigin; userHash: number }>();
  readonly #buffer = Buffer.alloc(COUNT_BYTES, '0');
  /** lines of the file that count more by now */
  readonly #grown = new Set<Line>();
  /** text to append to the file */
  #added = '';
  #end = 0;
  #numbers = 0;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, 'wx', 0o600);
    this.#buffer[LIST_DIGITS] = 0x20;
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  get size(): number {
    return this.#lines.size + this.#visitors.size;
  }

  /** Counts in memory until `write`. */
  count(origin: RecommendationOrigin, hour: number, items: number): void {
    const last = this.#last;
    const isLast = last !== null && last.hour === hour && isSameSeries(last.origin, origin);
    const key = isLast ? '' : `${hour}\n${originKey(origin)}`;
    const line = isLast ? last : this.#lines.get(key);
    if (line === undefined) {
      const { accountId, projectId, placement, variant, experimentId } = origin;
      const kept = { accountId, projectId, modelId: null, placement, variant, ...(experimentId && { experimentId }) };
      const text = `${digits(1, LIST_DIGITS)} ${digits(items, ITEM_DIGITS)} ${JSON.stringify({ origin: kept, hour })}\n`;
      const at = this.#end + Buffer.byteLength(this.#added);
      this.#lines.set(key, { origin: kept, hour, lists: 1, items, at, number: this.#numbers++ });
      this.#added += text;
      return;
    }
    this.#last = line;
    line.lists++;
    line.items += items;
    this.#grown.add(line);
  }

  /** Must be counted in the same hour before. */
  visit(origin: RecommendationOrigin, hour: number, userHash: number): void {
    const key = `${originKey(origin)}\n${userHash}`;
    if (this.#visitors.has(key)) return;
    const line = this.#lines.get(`${hour}\n${originKey(origin)}`)!;
    this.#visitors.set(key, { origin: line.origin, userHash });
    this.#added += `v ${line.number} ${userHash}\n`;
  }

  /** Writes all counts to the file. Throws if it cannot be written. */
  write(): void {
    if (this.#added !== '') {
      const bytes = Buffer.from(this.#added);
      writeAll(this.#file, bytes, this.#end);
      this.#end += bytes.length;
      this.#added = '';
    }
    for (const line of this.#grown) {
      writeDigits(this.#buffer, line.lists, 0, LIST_DIGITS);
      writeDigits(this.#buffer, line.items, LIST_DIGITS + 1, ITEM_DIGITS);
      writeAll(this.#file, this.#buffer, line.at);
    }
    this.#grown.clear();
  }

  content(): JournalContent {
    return { counts: [...this.#lines.values()], visitors: [...this.#visitors.values()] };
  }

  /** Shows nodes of other machines that this one still has it. */
  touch(): void {
    futimesSync(this.#file, fileTimeNow(), fileTimeNow());
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    removeJournal(this.path);
  }
}

/** Another node may have reported the journal to the store and removed it already. */
export const removeJournal = (path: string): void => rmSync(path, { force: true });

/** The system may write only a part at a time, for example when the disk gets full. */
function writeAll(file: number, bytes: Buffer, at: number): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from, bytes.length - from, at + from);
}

const COUNT_LINE = /^\d{12} \d{14} \{/;
const VISITOR_LINE = /^v \d+ \d+$/;

/**
 * Reads the journal of a process that has ended. An incomplete last line was never acknowledged. A power loss can leave gaps:
 * lines after the first gap are not counted, because lines refer to each other by number.
 */
export function readJournal(path: string): JournalContent {
  const content: JournalContent = { counts: [], visitors: [] };
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  lines.every((line) => readLine(line, content));
  return content;
}

/** Reads a line into the content. Returns whether the line is complete. */
function readLine(line: string, { counts, visitors }: JournalContent): boolean {
  if (VISITOR_LINE.test(line)) {
    const [, number, userHash] = line.split(' ').map(Number);
    const visited = counts[number];
    if (visited !== undefined) visitors.push({ origin: visited.origin, userHash });
    return visited !== undefined;
  }
  const named = COUNT_LINE.test(line) ? namedIn(line.slice(COUNT_BYTES + 1)) : null;
  if (named === null) return false;
  const lists = Number(line.slice(0, LIST_DIGITS));
  const items = Number(line.slice(LIST_DIGITS + 1, COUNT_BYTES));
  counts.push({ ...named, lists, items });
  return true;
}

function namedIn(json: string): Pick<ServedCount, 'origin' | 'hour'> | null {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

const digits = (value: number, length: number): string => String(value).padStart(length, '0');

/** Writes the digits without creating a string. */
function writeDigits(buffer: Buffer, value: number, from: number, length: number): void {
  let left = value;
  for (let at = from + length - 1; at >= from; at--) {
    const next = Math.floor(left / 10);
    buffer[at] = 0x30 + (left - next * 10);
    left = next;
  }
}
