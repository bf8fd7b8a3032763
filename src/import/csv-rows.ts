// Text in pieces → rows of cells. RFC 4180: quoted cells may hold the separator, line ends and doubled quotes.
// Lines without a quote, nearly all of them, are cut by the engine's own `split`. A quote that nobody closes costs the row that opened it,
// not the rest of the file: the rows continue with the next line.
import { UnreadableRow } from './unreadable-row.ts';

export type CsvRow = string[] | UnreadableRow;

/** Maximum length of a row with quotes over several lines. If a row is longer, a quote was not closed. */
const MAX_QUOTED_CHARACTERS = 1024 * 1024;

interface QuotedRow {
  row: CsvRow;
  next: number;
}

export class CsvRows {
  readonly #separator: string;
  readonly #quoted: boolean;
  #rest = '';

  /** `quoted: false` for formats that do not know quotes (MovieLens' `::` files), where a quote is a character like any other. */
  constructor(separator: string, quoted = true) {
    this.#separator = separator;
    this.#quoted = quoted;
  }

  /** The text after the last complete row. */
  get held(): string {
    return this.#rest;
  }

  /** The rows that are complete with this piece. */
  push(text: string): CsvRow[] {
    return this.#take(this.#rest + text, false);
  }

  end(): CsvRow[] {
    return this.#rest === '' ? [] : this.#take(this.#rest, true);
  }

  #take(text: string, ended: boolean): CsvRow[] {
    const rows: CsvRow[] = [];
    let start = 0;
    while (start < text.length) {
      let lineEnd = text.indexOf('\n', start);
      if (lineEnd < 0) {
        if (!ended) break;
        lineEnd = text.length;
      }
      const line = text.slice(start, text[lineEnd - 1] === '\r' && lineEnd > start ? lineEnd - 1 : lineEnd);
      if (!this.#quoted || !line.includes('"')) {
        if (line !== '') rows.push(line.split(this.#separator));
        start = lineEnd + 1;
        continue;
      }
      const next = lineEnd + 1;
      let quoted = this.#quotedRow(text, start, ended);
      const end = quoted === null || quoted === 'open' ? text.length : quoted.next;
      // Depends on the text, not on the pieces it arrived in: the result is equal wherever the pieces are cut.
      const isTooLong = end > next && end - start > MAX_QUOTED_CHARACTERS;
      if (isTooLong || quoted === 'open') quoted = { row: new UnreadableRow(line, OPEN_QUOTE), next };
      if (quoted === null) break;
      rows.push(quoted.row);
      start = quoted.next;
    }
    this.#rest = ended ? '' : text.slice(start);
    return rows;
  }

  /** Reads one row that has quotes. Returns null if its end has not arrived yet, 'open' if a quote is not closed. */
  #quotedRow(text: string, start: number, ended: boolean): QuotedRow | 'open' | null {
    const separator = this.#separator;
    const row: string[] = [];
    let at = start;
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        at += 1;
        for (;;) {
          const close = text.indexOf('"', at);
          if (close < 0) return ended ? 'open' : null;
          // The character after the quote decides whether it is doubled; it may not have come yet.
          if (close + 1 >= text.length && !ended) return null;
          cell += text.slice(at, close);
          at = close + 1;
          if (text[at] !== '"') break;
          cell += '"';
          at += 1;
        }
      }
      const lineEnd = endOr(text, text.indexOf('\n', at));
      const separatorAt = endOr(text, text.indexOf(separator, at));
      const stop = Math.min(lineEnd, separatorAt);
      if (stop === text.length && !ended) return null;
      const after = text.slice(at, stop === lineEnd && text[stop - 1] === '\r' ? Math.max(at, stop - 1) : stop);
      // A quote inside a cell that looks like the end of a text of several lines is in fact the next opening quote.
      if (cell.includes('\n') && after.trim() !== '') return 'open';
      row.push(cell + after);
      if (stop === lineEnd) return { row, next: stop + 1 };
      at = stop + separator.length;
    }
  }
}

const OPEN_QUOTE = 'a quote that is opened in this row is not closed';

function endOr(text: string, index: number): number {
  return index < 0 ? text.length : index;
}

/** The separator that cuts a header line into the most cells. */
export function guessSeparator(headerLine: string): string {
  const counts = [',', '\t', ';', '|'].map((separator) => ({ separator, cells: headerLine.split(separator).length }));
  counts.sort((a, b) => b.cells - a.cells);
  return counts[0].separator;
}
