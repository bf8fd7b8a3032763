// What the search has found, as tables.
import { nameOf } from './api-operations.ts';
import type { Measured } from './cost-search.ts';
import { inputText } from './costly-inputs.ts';

const SHOWN = 10;
const COLUMNS = ['route', 'status', 'bytes', 'cpu ms', 'API ms', 'stretch', 'MB', 'figure', '× median', 'input'];

/** The dearest input of each route, the dearest first. `figure` is what they are sorted by, also against the median route. */
export function costTable(title: string, worst: readonly Measured[], figure: (measured: Measured) => number): string {
  const median = worst.map(figure).sort((a, b) => a - b)[worst.length >> 1];
  const rows = worst.slice(0, SHOWN).map((measured) => {
    const { input, status, bytes, cpuMs, apiMs, stretchMs, memoryMb } = measured;
    const shapes = input.patches.map(({ shape, bytes: size }) => `${shape} ${size}`).join(', ');
    const ratio = median > 0 ? (figure(measured) / median).toFixed(1) : '-';
    return [
      nameOf(input.operation),
      String(status || 'broken'),
      bytes.toLocaleString('en-US'),
      cpuMs.toFixed(1),
      apiMs.toFixed(1),
      stretchMs.toFixed(1),
      memoryMb.toFixed(1),
      figure(measured).toFixed(2),
      ratio,
      `${input.frame}: ${shapes || 'valid'}`,
    ];
  });
  const widths = COLUMNS.map((column, n) => Math.max(column.length, ...rows.map((row) => row[n].length)));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, n) => (isText(n) ? cell.padEnd(widths[n]) : cell.padStart(widths[n]))).join('  ')}`.trimEnd();
  return [title, line(COLUMNS), ...rows.map(line)].join('\n');
}

const isText = (column: number): boolean => column === 0 || column === COLUMNS.length - 1;

export const repeatLine = (measured: Measured): string =>
  `    npm run test:cost -- --input '${inputText(measured.input)}'`;
