// A file prepared for import: its plan, its first rows, and the dataset it would create.
import { basename, resolve } from 'node:path';
import type { EventRecord } from '../client/index.ts';
import type { ImportOptions } from '../domain/import-job.ts';
import { openSource } from '../import/file-source.ts';
import { type ImportPlan, planImport } from '../import/import-plan.ts';
import { type DatasetWish, datasetNameFor, estimateRows, shardsFor } from '../import/import-target.ts';
import {
  MOVIELENS_EVENT_TYPE,
  MOVIELENS_TEXT_COLUMNS,
  movieLensFile,
  refineMovieLensItem,
} from '../import/movielens.ts';
import { type ImportRecord, RowError, recordMaker } from '../import/record-maker.ts';
import type { LocalCopy } from '../import/s3-file.ts';
import type { Source } from '../import/source.ts';
import { peekRows, type Table, type TableRow } from '../import/table.ts';
import type { CommonFlags } from './command.ts';
import { UsageError } from './exit-codes.ts';

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
  /** Applied to each record after the plan. */
  refine: ((record: ImportRecord) => ImportRecord) | undefined;
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
  const refine = movieLens && plan.kind === 'items' ? refineItem : undefined;
  return { path, name: copy?.name ?? path, origin, version, source, plan, table, sample, wish, refine };
}

function refineItem(record: ImportRecord): ImportRecord {
  return { ...record, attributes: refineMovieLensItem(record.attributes ?? {}) };
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

/** Null if the files have no events. */
export function mostFrequentType(prepared: PreparedFile[]): string | null {
  const counts = new Map<string, number>();
  for (const file of prepared) {
    if (file.plan.kind !== 'events') continue;
    const make = recordMaker(file.plan);
    for (const row of file.sample) {
      const type = eventTypeOf(() => make(row));
      if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return sorted[0]?.[0] ?? null;
}

/** null: the row cannot be read. */
function eventTypeOf(make: () => ImportRecord): string | null {
  try {
    return (make() as EventRecord).event_type;
  } catch (error) {
    if (error instanceof RowError) return null;
    throw error;
  }
}

export function describePlan({ name, plan, source }: PreparedFile): string {
  const attributes = plan.attributes.map(({ name }) => name).join(', ');
  const notes = plan.notes.map((note) => `\n  ${note}`).join('');
  return `${name}: ${plan.kind} (${source.format}${source.gzip ? ', gzip' : ''})${attributes ? `, attributes ${attributes}` : ''}${notes}`;
}
