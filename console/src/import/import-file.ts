// One file to import: what is known and chosen about it before it is sent.
import {
  type FieldName,
  type ImportPlan,
  ImportPlanError,
  type PlanOptions,
  planImport,
  type RecordKind,
  type TsUnit,
} from '../../../src/import/import-plan.ts';
import { KIND_ORDER } from '../../../src/import/import-target.ts';
import { type ImportRecord, recordMaker } from '../../../src/import/record-maker.ts';
import type { Table, TableRow } from '../../../src/import/table.ts';

export interface ImportFile {
  id: number;
  file: File;
  columns: string[];
  table: Table;
  sample: TableRow[];
  options: PlanOptions;
  plan: ImportPlan | null;
  /** Why there is no plan yet. */
  planError: string | null;
  /** An existing dataset, or null for a new one. */
  datasetId: string | null;
  newName: string;
}

export const KIND_CHOICES: { value: RecordKind; label: string }[] = [
  { value: 'users', label: 'Users' },
  { value: 'items', label: 'Items' },
  { value: 'events', label: 'Events' },
];
export const TS_UNIT_CHOICES: { value: TsUnit; label: string }[] = [
  { value: 's', label: 'Seconds' },
  { value: 'ms', label: 'Milliseconds' },
  { value: 'us', label: 'Microseconds' },
  { value: 'date', label: 'Dates' },
];

export const FIELDS_OF: Record<RecordKind, { field: FieldName; required: boolean }[]> = {
  users: [{ field: 'user_id', required: true }],
  items: [{ field: 'item_id', required: true }],
  events: [
    { field: 'user_id', required: true },
    { field: 'item_id', required: true },
    { field: 'ts', required: true },
    { field: 'event_type', required: false },
    { field: 'event_value', required: false },
    { field: 'recommendation_id', required: false },
    { field: 'event_id', required: false },
  ],
};

export const NO_COLUMN = '\u0000none';

export function withPlan(file: Omit<ImportFile, 'plan' | 'planError'>): ImportFile {
  try {
    return { ...file, plan: planImport(file.table, file.sample, file.options), planError: null };
  } catch (error) {
    if (!(error instanceof ImportPlanError)) throw error;
    return { ...file, plan: null, planError: error.message };
  }
}

/** The file to send next of those named: users and items before events. Undefined if none of them can be sent. */
export function nextToSend(files: readonly ImportFile[], ids: ReadonlySet<number>): ImportFile | undefined {
  const ready = files.filter(({ id, plan }) => plan && ids.has(id));
  return ready.toSorted((a, b) => KIND_ORDER.indexOf(a.plan!.kind) - KIND_ORDER.indexOf(b.plan!.kind))[0];
}

/** The effective kind: chosen, planned, or none yet. */
export function kindOf(file: ImportFile): RecordKind | null {
  return file.plan?.kind ?? file.options.kind ?? null;
}

/** The column a field is read from; null for none. */
export function columnOf(file: ImportFile, field: FieldName): string | null {
  const index = file.plan?.fields[field];
  if (index !== undefined) return file.columns[index];
  return file.options.map?.[field] ?? null;
}

/** `choice` is a column or NO_COLUMN: the field has none, whatever the columns are called. */
export function withColumn(file: ImportFile, field: FieldName, choice: string): ImportFile {
  const map = { ...file.options.map, [field]: choice === NO_COLUMN ? null : choice };
  return { ...file, options: { ...file.options, kind: kindOf(file) ?? undefined, map } };
}

export function previewRecords(
  file: ImportFile,
  count: number,
): { row: number; record?: ImportRecord; reason?: string }[] {
  if (!file.plan) return [];
  const make = recordMaker(file.plan);
  return file.sample.slice(0, count).map((row, index) => {
    try {
      return { row: index + 1, record: make(row) };
    } catch (error) {
      return { row: index + 1, reason: (error as Error).message };
    }
  });
}
