// CSV as RFC 4180 has it: a header line, CRLF, quotes around cells that need them. Cells carry exactly the data: a consumer
// that opens them in a spreadsheet decides itself how to treat a text that begins with "=".

export type CsvCell = string | number | boolean | null;

export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  const text = String(cell);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
