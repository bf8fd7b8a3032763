// The input of an export job: what is written, and in which format. Checked when the job is submitted.

export const EXPORTED = [
  'users',
  'items',
  'events',
  'item_vectors',
  'user_vectors',
  'report_days',
  'report_hours',
] as const;
export type Exported = (typeof EXPORTED)[number];
export const EXPORT_FORMATS = ['jsonl', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function isExported(value: unknown): value is Exported {
  return EXPORTED.includes(value as Exported);
}

/** Whether it is computed from a model. */
export function isOfModel(what: Exported): boolean {
  return what === 'item_vectors' || what === 'user_vectors';
}

/** Whether it contains users, so that deleted ones must be left out. */
export function namesUsers(what: Exported): boolean {
  return what === 'users' || what === 'events' || what === 'user_vectors';
}

export interface ExportJobData extends Record<string, unknown> {
  what: Exported;
  /** null: what is exported does not come from a model */
  model_id: string | null;
  format: ExportFormat;
  /** s3:// address of the file; null: it is downloaded */
  destination: string | null;
}
