// A file prepared for import: its plan, its first rows, and the dataset it would create.
import { basename, resolve } from 'node:path';
import { plural } from '../base/plural.ts';
import type { ImportOptions } from '../domain/import-job.ts';
import { openSource } from '../import/file-source.ts';
import { type ImportPlan, planImport } from '../import/import-plan.ts';
import { type DatasetWish, datasetNameFor, estimateRows, shardsFor } from '../import/import-target.ts';
import { MOVIELENS_EVENT_TYPE, MOVIELENS_TEXT_COLUMNS, movieLensFile } from '../import/movielens.ts';
import { type ImportRecord, RowError, recordMaker } from '../import/record-maker.ts';
import type { LocalCopy } from '../import/s3-file.ts';
import type { Source } from '../import/source.ts';
import { peekRows, type Table, type TableRow } from '../import/table.ts';
import type { CommonFlags } from './command.ts';
import { UsageError } from './exit-codes.ts';
import { formatCount } from './style.ts';

export interface ImportFlags extends CommonFlags, Omit<ImportOptions, 'lists' | 'ts_unit' | 'event_type'> {
  dataset?: string;
  name?: string;
  project?: string;
  targetEvent?: string;
  list?: ImportOptions['lists'];
  tsUnit?: ImportOptions['ts_unit'];
  eventType?: string;
  movielens?: boolean;
  numShards?: number;
  parallel: number;
  stateDir?: string;
  restart?: boolean;
  byService?: boolean;
  dryRun?: boolean;
}

export function importOptions(flags: Omit<ImportFlags, 'parallel'>): ImportOptions {
  const { kind, format, map, text, skip, separator, encoding } = flags;
  const renamed = { lists: flags.list, ts_unit: flags.tsUnit, event_type: flags.eventType };
  return { kind, format, map, text, skip, separator, encoding, ...renamed };
}

export interface PreparedFile {
  path: string;
  /** The name in messages: the path, or the address that the file is a copy of. */
  name: string;
  /** The origin: an absolute path, or the address that `path` is a copy of. */
  origin: string;
  /** Together with the size, it tells whether the file is still the one with which an interrupted import began. */
  version: string | number | undefined;
  source: Source;
  plan: ImportPlan;
  table: Table;
  sample: TableRow[];
  wish: DatasetWish;
}

const SAMPLE_ROWS = 1000;

/** `others`: more files come with the same flags. Then `--map` is for those that have the column. */
export async function prepare(
  path: string,
  flags: ImportFlags,
  { others = false, copy }: { others?: boolean; copy?: LocalCopy | undefined } = {},
): Promise<PreparedFile> {
  const source = await openSource(path, flags);
  const { sample, table } = await peekRows(source.table, SAMPLE_ROWS);
  const movieLens = flags.movielens ? movieLensFile(path) : null;
  const options = importOptions(flags);
  if (others) options.map = ownFields(options.map, table.columns);
  const plan = planImport(table, sample, {
    ...options,
    ...(movieLens && {
      kind: options.kind ?? movieLens.kind,
      text: [...(options.text ?? []), ...MOVIELENS_TEXT_COLUMNS],
      event_type: options.event_type ?? MOVIELENS_EVENT_TYPE,
    }),
    fileName: basename(path),
  });
  const wish = {
    kind: plan.kind,
    name: flags.name ?? datasetNameFor(basename(path)),
    numShards: flags.numShards ?? shardsFor(rowsOf(source, sample)),
  };
  const [origin, version] = copy ? [copy.address, copy.version] : [resolve(path), source.modifiedMs];
  return { path, name: copy?.name ?? path, origin, version, source, plan, table, sample, wish };
}

function ownFields(map: ImportOptions['map'], columns: readonly string[]): ImportOptions['map'] {
  return map && Object.fromEntries(Object.entries(map).filter(([, column]) => columns.includes(column)));
}

/** Throws if a column named in `--map` is in none of the files. */
export function refuseUnknownColumns({ map = {} }: ImportFlags, prepared: readonly PreparedFile[]): void {
  const known = new Set(prepared.flatMap(({ plan }) => plan.columns));
  const unknown = Object.values(map).find((column) => !known.has(column));
  if (unknown !== undefined) throw new UsageError(`no file has a column ${unknown}`);
}

function rowsOf({ sizeBytes, gzip, format }: Source, sample: TableRow[]): number {
  if (sample.length < SAMPLE_ROWS) return sample.length;
  return estimateRows({ sizeBytes, compressed: gzip || format === 'parquet' }, sample);
}

export function mostFrequentType(prepared: PreparedFile[]): string {
  const counts = new Map<string, number>();
  for (const file of prepared) {
    if (file.plan.kind !== 'events') continue;
    for (const record of readSample(file).records) {
      const type = 'event_type' in record ? record.event_type : file.plan.eventType;
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return sorted[0]?.[0] ?? 'view';
}

/** The records of the first rows, and how many of these rows the import would skip. */
function readSample({ plan, sample }: PreparedFile) {
  const make = recordMaker(plan);
  const records: ImportRecord[] = [];
  let firstSkipped: string | null = null;
  sample.forEach((row, index) => {
    try {
      records.push(make(row));
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      firstSkipped ??= `row ${index + 1}: ${error.message}`;
    }
  });
  return { records, skipped: sample.length - records.length, first_skipped: firstSkipped };
}

export function describePlan({ name, plan, source }: PreparedFile): string {
  const attributes = plan.attributes.map(({ name }) => name).join(', ');
  const notes = plan.notes.map((note) => `\n  ${note}`).join('');
  return `${name}: ${plan.kind} (${source.format}${source.gzip ? ', gzip' : ''})${attributes ? `, attributes ${attributes}` : ''}${notes}`;
}

export function dryRunOf(file: PreparedFile) {
  const { records, ...skips } = readSample(file);
  const { name, plan, sample } = file;
  const shown = records.slice(0, 3);
  return { file: name, kind: plan.kind, notes: plan.notes, rows_read: sample.length, ...skips, records: shown };
}

export function previewText(file: PreparedFile): string {
  const { records, rows_read, skipped, first_skipped } = dryRunOf(file);
  const lines = records.map((record) => JSON.stringify(record));
  if (skipped > 0) {
    const first = `the first is ${first_skipped}`;
    lines.push(`${formatCount(skipped)} of the first ${plural(rows_read, 'row')} would be skipped; ${first}`);
  }
  return lines.join('\n');
}
