// Text in pieces → rows of cells. RFC 4180: quoted cells may hold the separator, line ends and doubled quotes.
// Lines without a quote, nearly all of them, are cut by the engine's own `split`.

export class CsvRows {
  readonly #separator: string;
  readonly #quoted: boolean;
  #rest = '';

  /** `quoted: false` for formats that do not know quotes (MovieLens' `::` files), where a quote is a character like any other. */
  constructor(separator: string, quoted = true) {
    this.#separator = separator;
    this.#quoted = quoted;
  }

  /** What came after the last whole row. */
  get held(): string {
    return this.#rest;
  }

  /** The rows that are complete with this piece. */
  push(text: string): string[][] {
    return this.#take(this.#rest + text, false);
  }

  end(): string[][] {
    return this.#rest === '' ? [] : this.#take(this.#rest, true);
  }

  #take(text: string, ended: boolean): string[][] {
    const rows: string[][] = [];
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
      const quoted = this.#quotedRow(text, start, ended);
      if (quoted === null) break;
      rows.push(quoted.cells);
      start = quoted.next;
    }
    this.#rest = ended ? '' : text.slice(start);
    return rows;
  }

  /** One row that has quotes; null when its end is not there yet. */
  #quotedRow(text: string, start: number, ended: boolean): { cells: string[]; next: number } | null {
    const separator = this.#separator;
    const cells: string[] = [];
    let at = start;
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        at += 1;
        for (;;) {
          const close = text.indexOf('"', at);
          if (close < 0) {
            if (!ended) return null;
            cell += text.slice(at);
            at = text.length;
            break;
          }
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
      cell += text.slice(at, stop === lineEnd && text[stop - 1] === '\r' ? Math.max(at, stop - 1) : stop);
      cells.push(cell);
      if (stop === lineEnd) return { cells, next: stop + 1 };
      at = stop + separator.length;
    }
  }
}

function endOr(text: string, index: number): number {
  return index < 0 ? text.length : index;
}

/** The separator that cuts a header line into the most cells. */
export function guessSeparator(headerLine: string): string {
  const counts = [',', '\t', ';', '|'].map((separator) => ({ separator, cells: headerLine.split(separator).length }));
  counts.sort((a, b) => b.cells - a.cells);
  return counts[0].separator;
}
