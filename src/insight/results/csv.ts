// CSV as RFC 4180 has it: a header line, CRLF, quotes around cells that need them. Cells carry exactly the data: a consumer
// that opens them in a spreadsheet decides itself how to treat a text that begins with "=".

export type CsvCell = string | number | boolean | null;

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
