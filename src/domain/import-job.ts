// The input of an import job: the file it reads and the meaning of its columns. Checked when the job is submitted. Options that
// are left out are guessed from the first rows (src/import/import-plan.ts).

export const RECORD_KINDS = ['users', 'items', 'events'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];
export const FIELD_NAMES = [
  'event_id',
  'user_id',
  'item_id',
  'ts',
  'event_type',
  'event_value',
  'recommendation_id',
] as const;
export type FieldName = (typeof FIELD_NAMES)[number];
export const TS_UNITS = ['s', 'ms', 'us', 'date'] as const;
export type TsUnit = (typeof TS_UNITS)[number];
export const FILE_FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Larger files are to be imported in pieces: a worker keeps the file on its disk while it reads it. */
export const MAX_IMPORT_BYTES = 64 * 1024 ** 3;
/** Skipped rows that the result names; the others are counted. */
export const MAX_NAMED_ROWS = 100;

/** Options of an import that are otherwise guessed. They are equal for jobs, the command line and the console. */
export interface ImportOptions {
  kind?: RecordKind;
  format?: FileFormat;
  /** column name by field */
  map?: Partial<Record<FieldName, string>>;
  /** columns that hold lists → what separates the entries */
  lists?: Record<string, string>;
  /** columns that stay text although they look like numbers or lists */
  text?: string[];
  /** columns to ignore */
  skip?: string[];
  ts_unit?: TsUnit;
  /** event type of files without such a column */
  event_type?: string;
  separator?: string;
  encoding?: string;
}

export interface ImportJobData extends ImportOptions, Record<string, unknown> {
  /** the s3:// address of the file */
  source: string;
}
