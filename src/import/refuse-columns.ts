// Tables whose columns do not tell what the import needs, refused with what to do about it.
import type { FieldName, RecordKind } from '../domain/import-job.ts';
import { columnList, ImportPlanError } from './column-names.ts';
import { isEmpty } from './empty-cell.ts';

export function refuseMissing(missing: FieldName[], columns: string[]): void {
  if (missing.length === 0) return;
  const examples = missing.map((field) => `--map ${field}=COLUMN`).join(' ');
  throw new ImportPlanError(
    `no column for ${missing.join(', ')}: the columns are ${columnList(columns)}; name what is missing, e.g. ${examples}`,
  );
}

/** A page of an API has its records in an array below a key. */
export function refusePages(columns: string[], rows: unknown[][]): void {
  const key = columns.find((_, index) => rows.length > 0 && rows.every((row) => isListOfObjects(row[index])));
  if (key === undefined) return;
  const path = /^[a-z_]\w*$/i.test(key) ? `.${key}[]` : `.[${JSON.stringify(key)}][]`;
  throw new ImportPlanError(
    `the records are in ${columnList([key])}. JSON Lines have one record per line: convert it with jq -c '${path}'`,
  );
}

/** Throws if two columns have the same name, because one would be lost. */
export function refuseDoubles(columns: string[], skipped: readonly string[]): void {
  const double = columns.find(
    (column, index) => column !== '' && columns.indexOf(column) < index && !skipped.includes(column),
  );
  if (double === undefined) return;
  throw new ImportPlanError(
    `several columns are named ${columnList([double])}: rename all but one, or leave them out, e.g. --skip ${columnList([double])}`,
  );
}

/** A table of orders that has no known name for the item looks like users. */
export function refuseRepeats(kind: Exclude<RecordKind, 'events'>, column: string, ids: string[]): void {
  if (new Set(ids).size >= ids.length / 2) return;
  const missing = kind === 'users' ? 'item_id' : 'user_id';
  throw new ImportPlanError(
    `cannot tell whether these are ${kind} or events: most values of ${columnList([column])} repeat. For events name the other id, e.g. --map ${missing}=COLUMN; for ${kind} add --kind ${kind}`,
  );
}

function isListOfObjects(cell: unknown): boolean {
  return Array.isArray(cell) && cell.length > 0 && cell.every((entry) => !isEmpty(entry) && typeof entry === 'object');
}
