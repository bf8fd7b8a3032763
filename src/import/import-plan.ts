// Decides what a table's columns mean: which kind of records it holds, which column is which field, and what the rest, the
// attributes, are. Guessed from names and the first rows; everything can be said instead. `notes` tells what was guessed.
import { FIELD_NAMES, type FieldName, type ImportOptions, type RecordKind, type TsUnit } from '../domain/import-job.ts';
import {
  columnList,
  type FieldMap,
  guessKind,
  ImportPlanError,
  namedFields,
  onlyTimeColumn,
  plain,
  withoutSkipped,
} from './column-names.ts';
import { isEmpty } from './empty-cell.ts';
import { guessNumberFormat, type NumberFormat, parseNumber } from './read-number.ts';
import { guessTimeFormat, needIsoTimes } from './read-time.ts';
import { refuseDoubles, refuseMissing, refusePages, refuseRepeats } from './refuse-columns.ts';
import { type Table, type TableRow, UnreadableRow } from './table.ts';

export { FIELD_NAMES, type FieldName, ImportPlanError, type RecordKind, type TsUnit };
export type CellType = 'text' | 'number' | 'boolean' | 'list' | 'json' | 'time' | 'typed';

export interface AttributeColumn {
  index: number;
  name: string;
  type: CellType;
  /** Format of a `number` column. */
  format: NumberFormat;
  /** Separator between the entries of a `list` cell. */
  separator: string;
}

export interface ImportPlan {
  kind: RecordKind;
  /** JSON Lines add columns as they are read. */
  columns: string[];
  /** Number of columns that the plan covers. The rest are for withLateColumns. */
  plannedColumns: number;
  cells: Table['cells'];
  /** Column index of each field that has one. */
  fields: Partial<Record<FieldName, number>>;
  attributes: AttributeColumn[];
  /** Index of a column that holds whole `attributes` objects, as in the API's own records; -1 without. */
  attributesColumn: number;
  tsUnit: TsUnit;
  /** Whether dates such as 3/4/2026 begin with the day. */
  dayFirst: boolean;
  /** Number format of event_value. */
  valueFormat: NumberFormat;
  /** Type of events whose file has no event_type column. */
  eventType: string;
  /** An event_value of 0 is left out. */
  zeroIsNoValue: boolean;
  /** Options for columns that appear later in the file. */
  options: Pick<PlanOptions, 'map' | 'skip' | 'text' | 'lists'>;
  notes: string[];
}

/** Options about columns. The other options of an import say how the file is read. */
export interface PlanOptions extends Omit<ImportOptions, 'map' | 'format' | 'separator' | 'encoding'> {
  map?: FieldMap;
  /** Events without a time are taken too. */
  timeOptional?: boolean;
  /** Helps to guess the kind when the columns do not tell. */
  fileName?: string;
}

export const FIELDS_OF: Record<RecordKind, FieldName[]> = {
  users: ['user_id'],
  items: ['item_id'],
  events: [...FIELD_NAMES],
};
export const REQUIRED_OF: Record<RecordKind, FieldName[]> = {
  users: ['user_id'],
  items: ['item_id'],
  events: ['user_id', 'item_id', 'ts'],
};

export function planImport(table: Table, firstRows: TableRow[], options: PlanOptions = {}): ImportPlan {
  const { columns, cells } = table;
  const { map, skip = [], text, lists, event_type: eventType = 'view' } = options;
  refuseDoubles(columns, skip);
  const rows = firstRows.filter((row): row is unknown[] => !(row instanceof UnreadableRow));
  const sample: Sample = { table, names: withoutSkipped(columns, skip), rows };
  const { kind, fields, notes: fieldNotes } = fieldsOf(sample, options);
  const { tsUnit, dayFirst, notes: timeNotes } = timesOf(sample, fields, options.ts_unit);
  const { left, notes: leftNotes } = leftOut(sample, fields);
  const { valueFormat, zeroIsNoValue, notes: valueNotes } = valuesOf(sample, fields);
  const taken: TakenColumns = { used: new Set([...Object.values(fields), ...left]), fields, valueFormat };
  const { attributes, attributesColumn, notes: attributeNotes } = attributesOf(sample, taken, options);
  const madeNotes = kind === 'events' ? notesOfMade(sample, fields, eventType) : [];
  return {
    kind,
    columns,
    plannedColumns: columns.length,
    cells,
    fields,
    attributes,
    attributesColumn,
    tsUnit,
    dayFirst,
    valueFormat,
    eventType,
    zeroIsNoValue,
    notes: [fieldNotes, timeNotes, leftNotes, madeNotes, valueNotes, attributeNotes].flat(),
    options: { map, skip: options.skip, text, lists },
  };
}

interface Sample {
  readonly table: Table;
  /** names of the columns, '' for those that are skipped */
  readonly names: string[];
  readonly rows: unknown[][];
}

type Fields = ImportPlan['fields'];
type Part<K extends keyof ImportPlan> = Pick<ImportPlan, K | 'notes'>;

function fieldsOf({ table: { columns }, names, rows }: Sample, options: PlanOptions): Part<'kind' | 'fields'> {
  const { map = {}, skip = [] } = options;
  const named = namedFields(columns, { kind: options.kind, map, skip });
  if (named.user_id === undefined && named.item_id === undefined && !names.some(isPlainId)) refusePages(columns, rows);
  const kind = options.kind ?? guessKind(named, columns, options.fileName ?? '');
  const fields: Fields = {};
  for (const field of FIELDS_OF[kind]) if (named[field] !== undefined) fields[field] = named[field];
  const idField = kind === 'users' ? 'user_id' : kind === 'items' ? 'item_id' : 'event_id';
  const plainId = fields[idField] === undefined && map[idField] === undefined ? names.findIndex(isPlainId) : -1;
  const isShared = kind === 'events' && plainId >= 0 && repeatsWithOthers(rows, plainId, fields);
  if (plainId >= 0 && !isShared) fields[idField] = plainId;
  const timed = kind === 'events' && fields.ts === undefined ? onlyTimeColumn(names) : -1;
  if (timed >= 0) fields.ts = timed;
  refuseMissing(
    REQUIRED_OF[kind].filter((field) => fields[field] === undefined && !(field === 'ts' && options.timeOptional)),
    columns,
  );
  if (options.kind === undefined && kind !== 'events')
    refuseRepeats(kind, columns[fields[idField] as number], textsOf(rows, fields[idField] as number));
  const notes = Object.entries(fields)
    .filter(([field, index]) => plain(columns[index]) !== plain(field))
    .map(([field, index]) => `${field} is taken from the column ${columns[index]}`);
  if (isShared) {
    notes.push(`${columns[plainId]} is not taken as event_id: its values repeat with other items or users`);
  }
  return { kind, fields, notes };
}

const isPlainId = (name: string): boolean => plain(name) === 'id';

function timesOf(sample: Sample, { ts }: Fields, said: TsUnit | undefined): Part<'tsUnit' | 'dayFirst'> {
  if (ts === undefined) return { tsUnit: said ?? 'ms', dayFirst: false, notes: [] };
  const guessed = guessTimeFormat(sample.rows.map((row) => row[ts]));
  if (isOwn(sample) && sample.table.columns[ts] === 'ts' && guessed.unit !== 'date') guessed.unit = 'ms';
  const { dayFirst } = guessed;
  const tsUnit = said ?? guessed.unit;
  const note = `ts is read as ${TS_UNIT_WORDS[tsUnit]}${tsUnit === 'date' && dayFirst ? ', day before month' : ''}`;
  return { tsUnit, dayFirst, notes: tsUnit === 'ms' ? [] : [note] };
}

/** The columns that are ignored. */
function leftOut({ table, names }: Sample, fields: Fields): { left: number[]; notes: string[] } {
  const left = names.flatMap((name, index) =>
    plain(name) === 'recommendationid' && fields.recommendation_id !== index ? [index] : [],
  );
  const notes = left.map((index) => `${table.columns[index]} is left out: its ids are of another service`);
  return { left, notes };
}

/** What is said about fields of events that no column has. */
function notesOfMade({ rows }: Sample, fields: Fields, eventType: string): string[] {
  const notes: string[] = [];
  if (fields.event_type === undefined) notes.push(`events without event_type get ${eventType}`);
  if (hasGaps(rows, fields.event_id)) {
    notes.push('event_id is made from user, item, time and type where it is missing');
  }
  return notes;
}

function valuesOf(sample: Sample, { event_value: column }: Fields): Part<'valueFormat' | 'zeroIsNoValue'> {
  const values = column === undefined ? [] : textsOf(sample.rows, column);
  const valueFormat = guessNumberFormat(values);
  // Gorse writes 0 where feedback has no value.
  const zeroIsNoValue =
    !isOwn(sample) && values.length > 0 && values.every((text) => parseNumber(text, valueFormat) === 0);
  const notes: string[] = [];
  if (column !== undefined && zeroIsNoValue) {
    notes.push(
      `${sample.table.columns[column]} is left out where it is 0: it is 0 in all of the first rows, and such events would count for nothing`,
    );
  }
  return { valueFormat, zeroIsNoValue, notes };
}

interface TakenColumns {
  /** columns that are no attributes */
  readonly used: ReadonlySet<number>;
  readonly fields: Fields;
  readonly valueFormat: NumberFormat;
}

function attributesOf(
  { table, names, rows }: Sample,
  { used, fields, valueFormat }: TakenColumns,
  options: PlanOptions,
): Part<'attributes' | 'attributesColumn'> {
  const notes: string[] = [];
  const attributesColumn = names.findIndex(
    (name, index) => !used.has(index) && (name === 'attributes' || holdsLabels(name, rows, index)),
  );
  const attributes: AttributeColumn[] = [];
  const commaColumns =
    fields.event_value !== undefined && valueFormat === ',' ? [table.columns[fields.event_value]] : [];
  names.forEach((name, index) => {
    if (used.has(index) || index === attributesColumn || name === '') return;
    const attribute = attributeColumn({ name, index }, rows, table, options);
    if (attribute.format === ',') commaColumns.push(name);
    if (attribute.type === 'list' && !options.lists?.[name]) notes.push(`${name} is read as a list separated by |`);
    if (attribute.type === 'time') notes.push(`${name} is written as times in ISO 8601`);
    attributes.push(attribute);
  });
  if (commaColumns.length > 0) notes.push(`numbers of ${columnList(commaColumns)} have a decimal comma`);
  if (table.cells === 'json') {
    const typed = attributes.filter(({ type }) => type === 'typed').map(({ index }) => index);
    notes.push(...lostDigits(table.columns, attributesColumn < 0 ? typed : [...typed, attributesColumn], rows));
  }
  return { attributes, attributesColumn, notes };
}

const TS_UNIT_WORDS: Record<TsUnit, string> = { s: 'seconds', ms: 'milliseconds', us: 'microseconds', date: 'a date' };

/** If all of these columns exist, the records are in the API's own format: times are milliseconds, and a value of 0 is valid. */
const OWN_EVENT = ['event_id', 'user_id', 'item_id', 'ts', 'event_type', 'attributes'];

function isOwn({ table, names }: Sample): boolean {
  return table.cells !== 'text' && OWN_EVENT.every((name) => names.includes(name));
}

/** Texts of the cells that are not empty. */
function textsOf(rows: unknown[][], index: number): string[] {
  return rows.map((row) => String(row[index] ?? '').trim()).filter((text) => text !== '');
}

/** Whether there is no such column, or one of its cells is empty. */
function hasGaps(rows: unknown[][], index: number | undefined): boolean {
  return index === undefined || rows.some((row) => isEmpty(row[index]));
}

/** Whether rows of other items or users have the same id, such as the lines of an order. */
function repeatsWithOthers(rows: unknown[][], id: number, { user_id, item_id }: Fields): boolean {
  const others = [user_id, item_id].filter((index) => index !== undefined);
  const filled = rows.filter((row) => !isEmpty(row[id]));
  const distinct = (columns: number[]) =>
    new Set(filled.map((row) => JSON.stringify(columns.map((column) => String(row[column] ?? ''))))).size;
  return distinct([id]) < distinct([id, ...others]);
}

/** Numbers of JSON stay numbers, which hold about 16 digits. Those in lists and objects cannot be read as texts. */
function lostDigits(columns: readonly string[], indexes: readonly number[], rows: unknown[][]): string[] {
  const noteOf = (type: 'bigint' | 'object', where: string, advice: string): string[] => {
    const cut = indexes.filter((index) => rows.some(({ [index]: cell }) => typeof cell === type && losesDigits(cell)));
    return cut.length === 0
      ? []
      : [`${where} ${columnList(cut.map((index) => columns[index]))} lose digits: ${advice}`];
  };
  return [
    ...noteOf('bigint', 'numbers of', 'read columns that are ids as text (--text)'),
    ...noteOf('object', 'numbers in lists or objects of', 'write ids in quotes'),
  ];
}

function losesDigits(value: unknown): boolean {
  if (typeof value === 'bigint') return BigInt(Number(value)) !== value;
  return typeof value === 'object' && value !== null && Object.values(value).some(losesDigits);
}

/** Gorse keeps what it knows of users and items in an object of labels. */
function holdsLabels(column: string, rows: unknown[][], index: number): boolean {
  if (plain(column) !== 'labels') return false;
  const cells = rows.map((row) => row[index]).filter((cell) => !isEmpty(cell));
  const isObject = (cell: unknown): boolean =>
    typeof cell === 'object' ? !Array.isArray(cell) : String(cell).trim().startsWith('{');
  return cells.length > 0 && cells.every(isObject);
}

export function attributeColumn(
  { name, index }: { name: string; index: number },
  rows: unknown[][],
  table: Pick<Table, 'cells' | 'separator'>,
  options: PlanOptions,
): AttributeColumn {
  const column = { index, name, separator: options.lists?.[name] ?? '|', format: 'plain' as NumberFormat };
  if (options.lists?.[name] !== undefined) return { ...column, type: 'list' };
  if (options.text?.includes(name)) return { ...column, type: 'text' };
  if (needIsoTimes(rows.map((row) => row[index]))) return { ...column, type: 'time' };
  if (table.cells !== 'text') return { ...column, type: 'typed' };
  const texts = textsOf(rows, index);
  if (texts.length === 0) return { ...column, type: 'text' };
  const guessed = guessNumberFormat(texts);
  // If commas separate the cells, 3,7 may as well be a list of two.
  const format = guessed === ',' && table.separator === ',' ? 'plain' : guessed;
  if (texts.every((text) => !Number.isNaN(parseNumber(text, format)))) return { ...column, type: 'number', format };
  if (texts.every((text) => /^(true|false)$/i.test(text))) return { ...column, type: 'boolean' };
  if (texts.every((text) => text.startsWith('[') && text.endsWith(']'))) return { ...column, type: 'json' };
  const piped = texts.filter((text) => text.includes('|'));
  if (piped.length > 0 && piped.every((text) => text.split('|').every((entry) => entry.length <= 64))) {
    return { ...column, type: 'list' };
  }
  return { ...column, type: 'text' };
}
