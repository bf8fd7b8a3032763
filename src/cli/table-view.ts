// Rows as a text table that fits the terminal: the widest column shrinks first, except columns that must stay whole.
import { cut, type Style, textWidth } from './style.ts';

export interface Column<Row> {
  title: string;
  of(row: Row): unknown;
  align?: 'left' | 'right';
  /** Never truncated. For ids, which people copy into the next command. */
  whole?: boolean;
}

const GAP = '  ';
const MIN_WIDTH = 6;

export function tableView<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  style: Style,
): string {
  const cells = rows.map((row) => columns.map((column) => cellText(column.of(row))));
  const widths = columns.map((column, index) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[index])), textWidth(column.title)),
  );
  const room = width - GAP.length * (columns.length - 1);
  const yielding = columns.flatMap(({ whole }, index) => (whole ? [] : [index]));
  while (widths.reduce((sum, one) => sum + one, 0) > room) {
    const widest = yielding.reduce((best, index) => (widths[index] > (widths[best] ?? 0) ? index : best), -1);
    if (widest < 0 || widths[widest] <= MIN_WIDTH) break;
    widths[widest] -= 1;
  }
  const line = (texts: string[], paint: (text: string) => string) =>
    texts
      .map((text, index) => {
        const short = cut(text, widths[index]);
        const space = ' '.repeat(Math.max(0, widths[index] - textWidth(short)));
        return columns[index].align === 'right' ? space + paint(short) : paint(short) + space;
      })
      .join(GAP)
      .trimEnd();
  const header = line(
    columns.map(({ title }) => title),
    style.bold,
  );
  return [header, ...cells.map((row) => line(row, (text) => text))].join('\n');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  // Control characters in data must not control the terminal.
  return String(value).replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
