// What every benchmark prints: rows whose first figure is a ratio against a base measured in the same run, because machines
// are noisy; absolute figures are next to it. `bench/run.ts` collects the rows through KINDRED_BENCH_ROWS (a file of JSON
// lines) and writes docs/benchmarks.md from them.
import { appendFileSync } from 'node:fs';

export interface BenchRow {
  /** which benchmark, e.g. "ingest" */
  bench: string;
  /** what was measured, in words */
  what: string;
  /** the measured figure divided by the base; null for a figure that has no base */
  ratio: number | null;
  /** what the ratio is against, in words */
  base: string;
  /** absolute figures in words, with units */
  figures: string;
  /** the goal, in words, and whether this run met it */
  bar?: string;
  met?: boolean;
}

const rowsFile = process.env.KINDRED_BENCH_ROWS;

export function report(measured: BenchRow): void {
  const row = withSeparators(measured);
  const ratio = row.ratio === null ? '' : `${row.ratio.toFixed(2)} × ${row.base} · `;
  const verdict =
    row.bar === undefined ? '' : ` · bar: ${row.bar}${row.met === undefined ? '' : row.met ? ', met' : ', NOT MET'}`;
  process.stdout.write(`${row.bench}: ${row.what}: ${ratio}${row.figures}${verdict}\n`);
  if (rowsFile) appendFileSync(rowsFile, `${JSON.stringify(row)}\n`);
}

/** `26879 events/s` becomes `26,879 events/s`, in every text of a row. A number that ends a parenthesis may be a year. */
function withSeparators(row: BenchRow): BenchRow {
  const separate = (text: string): string =>
    text.replace(/(?<![\w.,:$'#-])(?!20\d\d\))\d{4,}(?!\w|\.\d|,\d)/g, (digits) =>
      Number(digits).toLocaleString('en-US'),
    );
  const { what, base, figures, bar } = row;
  const texts = { what: separate(what), base: separate(base), figures: separate(figures) };
  return { ...row, ...texts, ...(bar !== undefined && { bar: separate(bar) }) };
}

/** Quick runs use small sizes: `npm run bench -- --quick`, or KINDRED_BENCH_QUICK=1. */
export const quick = process.env.KINDRED_BENCH_QUICK === '1' || process.argv.includes('--quick');

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** The number after a flag of the command line; undefined: the flag is not there. */
export function numberOf(flag: string): number | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
}
