// Decides what a table's columns mean: which kind of records it holds, which column is which field, and what the rest, the
// attributes, are. Guessed from names and the first rows; everything can be said instead. `notes` tells what was guessed.
import { FIELD_NAMES, type FieldName, type ImportOptions, type RecordKind, type TsUnit } from '../domain/import-job.ts';
import { guessNumberFormat, type NumberFormat, parseNumber } from './read-number.ts';
import { guessTimeFormat, type TimeFormat } from './read-time.ts';
import { type Table, type TableRow, UnreadableRow } from './table.ts';

export { FIELD_NAMES, type FieldName, type RecordKind, type TsUnit };
export type CellType = 'text' | 'number' | 'boolean' | 'list' | 'json' | 'typed';

export interface AttributeColumn {
  index: number;
  name: string;
  type: CellType;
  /** Of a `number`. */
  format: NumberFormat;
  /** Between the entries of a `list` cell. */
  separator: string;
}

export interface ImportPlan {
  kind: RecordKind;
  /** JSON Lines add columns as they are read. */
  columns: string[];
  /** How many of the columns the plan covers: the rest are for withLateColumns. */
  plannedColumns: number;
  cells: Table['cells'];
  /** Column index of each field that has one. */
  fields: Partial<Record<FieldName, number>>;
  attributes: AttributeColumn[];
  /** Index of a column that holds whole `attributes` objects, as in the API's own records; -1 without. */
  attributesColumn: number;
  tsUnit: TsUnit;
  /** Of dates such as 3/4/2026. */
  dayFirst: boolean;
  /** Of event_value. */
  valueFormat: NumberFormat;
  /** For events whose file has no event_type column. */
  eventType: string;
  /** Events without an event_id get one from user, item, time and type. */
  makesEventIds: boolean;
  /** An event_value of 0 is left out. */
  zeroIsNoValue: boolean;
  /** What columns that come late need. */
  options: Pick<PlanOptions, 'skip' | 'text' | 'lists'>;
  notes: string[];
}

/** What concerns the columns; the rest says how the file is read. */
export interface PlanOptions extends Omit<ImportOptions, 'format' | 'separator' | 'encoding'> {
  /** Events without a time are taken too. */
  timeOptional?: boolean;
  /** Helps to guess the kind when the columns do not tell. */
  fileName?: string;
}

export class ImportPlanError extends Error {
  override readonly name = 'ImportPlanError';
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

/** Column names seen in the wild, without case and punctuation; the first that a table has is taken. */
const SYNONYMS: Record<FieldName, string[]> = {
  event_id: ['eventid', 'interactionid', 'sessioneventid'],
  user_id: [
    'userid',
    'user',
    'uid',
    'customerid',
    'customer',
    'visitorid',
    'viewerid',
    'memberid',
    'reviewerid',
    'clientid',
    'buyerid',
    'accountid',
    'personid',
  ],
  item_id: [
    'itemid',
    'item',
    'movieid',
    'productid',
    'product',
    'sku',
    'articleid',
    'contentid',
    'trackid',
    'songid',
    'bookid',
    'isbn',
    'asin',
    'filmid',
    'stockcode',
    'movie',
    'film',
    'book',
    'song',
    'track',
    'artistid',
    'videoid',
    'gameid',
    'businessid',
  ],
  ts: [
    'ts',
    'timestamp',
    'time',
    'datetime',
    'date',
    'eventtime',
    'eventtimestamp',
    'createdat',
    'occurredat',
    'unixtime',
    'unixreviewtime',
    'invoicedate',
    'orderdate',
  ],
  event_type: ['eventtype', 'feedbacktype', 'type', 'event', 'eventname', 'action', 'behavior'],
  event_value: ['eventvalue', 'value', 'rating', 'weight', 'score', 'overall'],
  /** By this very name: RECOMMENDATION_ID of other services means their lists. */
  recommendation_id: ['recommendation_id'],
};
const NAME_HINTS: [RecordKind, RegExp][] = [
  ['events', /event|rating|interaction|feedback|purchase|click|order|log/i],
  ['users', /user|customer|viewer|visitor|member/i],
  ['items', /item|product|movie|film|catalog|article|book|song|track/i],
];

export function planImport(table: Table, sample: TableRow[], options: PlanOptions = {}): ImportPlan {
  const columns = table.columns;
  refuseDoubles(columns, options.skip ?? []);
  const rows = sample.filter((row): row is unknown[] => !(row instanceof UnreadableRow));
  const notes: string[] = [];
  const named = namedFields(columns, options.map ?? {});
  const kind = options.kind ?? guessKind(named, columns, options.fileName ?? '');
  const fields: ImportPlan['fields'] = {};
  for (const field of FIELDS_OF[kind]) if (named[field] !== undefined) fields[field] = named[field];
  const idField = kind === 'users' ? 'user_id' : kind === 'items' ? 'item_id' : 'event_id';
  if (fields[idField] === undefined) {
    const plainId = columns.findIndex((column) => plain(column) === 'id');
    if (plainId >= 0) fields[idField] = plainId;
  }
  const timed = kind === 'events' && fields.ts === undefined ? onlyTimeColumn(columns) : -1;
  if (timed >= 0) fields.ts = timed;
  const missing = REQUIRED_OF[kind].filter(
    (field) => fields[field] === undefined && !(field === 'ts' && options.timeOptional),
  );
  if (missing.length > 0) {
    const examples = missing.map((field) => `--map ${field}=COLUMN`).join(' ');
    throw new ImportPlanError(
      `no column for ${missing.join(', ')}: the columns are ${columnList(columns)}; name what is missing, e.g. ${examples}`,
    );
  }
  if (options.kind === undefined && kind !== 'events')
    refuseRepeats(kind, columns[fields[idField] as number], textsOf(rows, fields[idField] as number));
  for (const [field, index] of Object.entries(fields)) {
    if (plain(columns[index]) !== plain(field)) notes.push(`${field} is taken from the column ${columns[index]}`);
  }
  const guessed: TimeFormat =
    fields.ts === undefined
      ? { unit: 'ms', dayFirst: false }
      : guessTimeFormat(rows.map((row) => row[fields.ts as number]));
  const { unit: tsUnit, dayFirst } = { ...guessed, ...(options.ts_unit && { unit: options.ts_unit }) };
  if (fields.ts !== undefined && tsUnit !== 'ms') {
    notes.push(`ts is read as ${TS_UNIT_WORDS[tsUnit]}${tsUnit === 'date' && dayFirst ? ', day before month' : ''}`);
  }
  /** columns that become nothing */
  const left = columns.flatMap((column, index) =>
    plain(column) === 'recommendationid' && fields.recommendation_id !== index ? [index] : [],
  );
  for (const index of left) notes.push(`${columns[index]} is left out: its ids are of another service`);
  const eventType = options.event_type ?? 'view';
  if (kind === 'events' && fields.event_type === undefined) notes.push(`events without event_type get ${eventType}`);
  const makesEventIds = kind === 'events' && fields.event_id === undefined;
  if (makesEventIds) notes.push('event_id is made from user, item, time and type where it is missing');
  const values = fields.event_value === undefined ? [] : textsOf(rows, fields.event_value);
  const valueFormat = guessNumberFormat(values);
  // Gorse writes 0 where feedback has no value.
  const zeroIsNoValue = values.length > 0 && values.every((text) => parseNumber(text, valueFormat) === 0);
  if (fields.event_value !== undefined && zeroIsNoValue) {
    notes.push(
      `${columns[fields.event_value]} is left out where it is 0: it is 0 in all of the first rows, and such events would count for nothing`,
    );
  }
  const used = new Set([...Object.values(fields), ...left]);
  const attributesColumn = columns.findIndex(
    (column, index) => !used.has(index) && (column === 'attributes' || holdsLabels(column, rows, index)),
  );
  const attributes: AttributeColumn[] = [];
  const commaColumns = fields.event_value !== undefined && valueFormat === ',' ? [columns[fields.event_value]] : [];
  columns.forEach((name, index) => {
    if (used.has(index) || index === attributesColumn || name === '' || options.skip?.includes(name)) return;
    const attribute = attributeColumn({ name, index }, rows, table, options);
    if (attribute.format === ',') commaColumns.push(name);
    if (attribute.type === 'list' && !options.lists?.[name]) notes.push(`${name} is read as a list separated by |`);
    attributes.push(attribute);
  });
  if (commaColumns.length > 0) notes.push(`numbers of ${columnList(commaColumns)} have a decimal comma`);
  return {
    kind,
    columns,
    plannedColumns: columns.length,
    cells: table.cells,
    fields,
    attributes,
    attributesColumn,
    tsUnit,
    dayFirst,
    valueFormat,
    eventType,
    makesEventIds,
    zeroIsNoValue,
    notes,
    options: { skip: options.skip, text: options.text, lists: options.lists },
  };
}

const TS_UNIT_WORDS: Record<TsUnit, string> = { s: 'seconds', ms: 'milliseconds', us: 'microseconds', date: 'a date' };

function namedFields(columns: string[], map: Partial<Record<FieldName, string>>): Partial<Record<FieldName, number>> {
  const plainColumns = columns.map(plain);
  const found: Partial<Record<FieldName, number>> = {};
  const taken = new Set<number>();
  for (const [field, column] of Object.entries(map) as [FieldName, string][]) {
    const index = columns.indexOf(column);
    if (index < 0) throw new ImportPlanError(`there is no column ${column}: the columns are ${columnList(columns)}`);
    found[field] = index;
    taken.add(index);
  }
  for (const field of Object.keys(SYNONYMS) as FieldName[]) {
    if (found[field] !== undefined) continue;
    for (const name of SYNONYMS[field]) {
      const index = field === 'recommendation_id' ? columns.indexOf(field) : plainColumns.indexOf(name);
      if (index >= 0 && !taken.has(index)) {
        found[field] = index;
        taken.add(index);
        break;
      }
    }
  }
  return found;
}

/** One of them would be lost. */
function refuseDoubles(columns: string[], skipped: readonly string[]): void {
  const double = columns.find(
    (column, index) => column !== '' && columns.indexOf(column) < index && !skipped.includes(column),
  );
  if (double === undefined) return;
  throw new ImportPlanError(
    `several columns are named ${columnList([double])}: rename all but one, or leave them out, e.g. --skip ${columnList([double])}`,
  );
}

/** A column such as watched_at or "Purchase date", if there is one alone; else -1. */
function onlyTimeColumn(columns: string[]): number {
  const named = columns.flatMap((column, index) =>
    /(?:[ _-]time|[a-z]Time|[tT]imestamp|[dD]ate|[ _-]at|[a-z]At)$/.test(column) ? [index] : [],
  );
  return named.length === 1 ? named[0] : -1;
}

/** Of the cells that hold something. */
function textsOf(rows: unknown[][], index: number): string[] {
  return rows.map((row) => String(row[index] ?? '').trim()).filter((text) => text !== '');
}

/** Gorse keeps what it knows of users and items in an object of labels. */
function holdsLabels(column: string, rows: unknown[][], index: number): boolean {
  if (plain(column) !== 'labels') return false;
  const cells = rows.map((row) => row[index]).filter((cell) => cell !== undefined && cell !== null && cell !== '');
  const isObject = (cell: unknown): boolean =>
    typeof cell === 'object' ? !Array.isArray(cell) : String(cell).trim().startsWith('{');
  return cells.length > 0 && cells.every(isObject);
}

/** Whether the names are those of a table of events. */
export function namesEvents(columns: string[]): boolean {
  const { user_id, item_id } = namedFields(columns, {});
  return user_id !== undefined && item_id !== undefined;
}

function guessKind(named: Partial<Record<FieldName, number>>, columns: string[], fileName: string): RecordKind {
  if (named.user_id !== undefined && named.item_id !== undefined) return 'events';
  if (named.item_id !== undefined) return 'items';
  if (named.user_id !== undefined) return 'users';
  const hinted = NAME_HINTS.find(([, hint]) => hint.test(fileName));
  if (hinted) return hinted[0];
  if (columns.length === 0) throw new ImportPlanError('the file is empty');
  throw new ImportPlanError(
    `cannot tell whether these are users, items or events: the columns are ${columnList(columns)}; if these are no column names, add a first line with names; else name the kind, e.g. --kind events`,
  );
}

/** A table of orders that has no known name for the item looks like users. */
function refuseRepeats(kind: Exclude<RecordKind, 'events'>, column: string, ids: string[]): void {
  if (new Set(ids).size >= ids.length / 2) return;
  const missing = kind === 'users' ? 'item_id' : 'user_id';
  throw new ImportPlanError(
    `cannot tell whether these are ${kind} or events: most values of ${columnList([column])} repeat. For events name the other id, e.g. --map ${missing}=COLUMN; for ${kind} add --kind ${kind}`,
  );
}

/** A file that is no table can have thousands of columns, each as long as a file. */
function columnList(columns: string[]): string {
  const shown = columns.slice(0, 20).map((column) => (column.length > 40 ? `${column.slice(0, 40)}…` : column));
  return `${shown.join(', ') || '(none)'}${columns.length > 20 ? ` and ${columns.length - 20} more` : ''}`;
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
  if (table.cells === 'typed') return { ...column, type: 'typed' };
  const texts = textsOf(rows, index);
  if (texts.length === 0) return { ...column, type: 'text' };
  const guessed = guessNumberFormat(texts);
  // Between cells that commas separate, 3,7 may as well be a list of two.
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

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
