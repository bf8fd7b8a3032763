// Recognizes by the names of columns which field each of them is and which kind of records a table holds.
import type { FieldName, RecordKind } from '../domain/import-job.ts';

export class ImportPlanError extends Error {
  override readonly name = 'ImportPlanError';
}

/** Column by field; null if the field has no column, whatever the columns are called. */
export type FieldMap = Partial<Record<FieldName, string | null>>;

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
    'lineitemsku',
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
  /** Only this exact name: RECOMMENDATION_ID of other services refers to their lists. */
  recommendation_id: ['recommendation_id'],
};
/** Only tables of orders have it, so the table has events. */
const ITEM_OF_ORDERS = 'lineitemsku';
/** The user of events without another one. Users have an id, and in catalogs it is the seller. */
const USER_OF_EVENTS = 'email';
const MAX_LISTED_CHARACTERS = 2000;
const NAME_HINTS: [RecordKind, RegExp][] = [
  ['events', /event|rating|interaction|feedback|purchase|click|order|log/i],
  ['users', /user|customer|viewer|visitor|member/i],
  ['items', /item|product|movie|film|catalog|article|book|song|track/i],
];

/** Column index by field. */
type NamedFields = Partial<Record<FieldName, number>>;

interface NamingOptions {
  /** What the table holds, if that was said. */
  kind?: RecordKind;
  map?: FieldMap;
  skip?: readonly string[];
}

/** Columns of `skip` become no field unless `map` names them. */
export function namedFields(columns: string[], { kind, map = {}, skip = [] }: NamingOptions = {}): NamedFields {
  const named = withoutSkipped(columns, skip);
  const plainColumns = named.map(plain);
  const found: NamedFields = {};
  const taken = new Set<number>();
  for (const [field, column] of Object.entries(map) as [FieldName, string | null][]) {
    if (column === null) continue;
    const index = columns.indexOf(column);
    if (index < 0) throw new ImportPlanError(`there is no column ${column}: the columns are ${columnList(columns)}`);
    found[field] = index;
    taken.add(index);
  }
  for (const field of Object.keys(SYNONYMS) as FieldName[]) {
    if (map[field] !== undefined) continue;
    for (const name of SYNONYMS[field]) {
      const index = field === 'recommendation_id' ? named.indexOf(field) : plainColumns.indexOf(name);
      if (index >= 0 && !taken.has(index)) {
        found[field] = index;
        taken.add(index);
        break;
      }
    }
  }
  const email = plainColumns.indexOf(USER_OF_EVENTS);
  const isEvents = kind === 'events' || (kind === undefined && namesOrders(found, columns));
  if (isEvents && map.user_id === undefined && found.user_id === undefined && email >= 0 && !taken.has(email)) {
    found.user_id = email;
  }
  return found;
}

function namesOrders({ item_id }: NamedFields, columns: string[]): boolean {
  return item_id !== undefined && plain(columns[item_id]) === ITEM_OF_ORDERS;
}

/** The names with '' in place of those to skip, which then mean nothing. */
export function withoutSkipped(columns: string[], skip: readonly string[]): string[] {
  return columns.map((column) => (skip.includes(column) ? '' : column));
}

/** Whether the names are those of a table of events. */
export function namesEvents(columns: string[]): boolean {
  const { user_id, item_id } = namedFields(columns);
  return user_id !== undefined && item_id !== undefined;
}

export function guessKind(named: NamedFields, columns: string[], fileName: string): RecordKind {
  if (named.user_id !== undefined && named.item_id !== undefined) return 'events';
  if (namesOrders(named, columns)) return 'events';
  if (named.item_id !== undefined) return 'items';
  if (named.user_id !== undefined) return 'users';
  const hinted = NAME_HINTS.find(([, hint]) => hint.test(fileName));
  if (hinted) return hinted[0];
  if (columns.length === 0) throw new ImportPlanError('the file is empty');
  throw new ImportPlanError(
    `cannot tell whether these are users, items or events: the columns are ${columnList(columns)}; if these are no column names, add a first line with names; else name the kind, e.g. --kind events`,
  );
}

/** A column such as watched_at or "Purchase date", if there is one alone; else -1. */
export function onlyTimeColumn(columns: string[]): number {
  const named = columns.flatMap((column, index) =>
    /(?:[ _-]time|[a-z]Time|[tT]imestamp|[dD]ate|[ _-]at|[a-z]At)$/.test(column) ? [index] : [],
  );
  return named.length === 1 ? named[0] : -1;
}

/** All names within a limit: a file that is no table can have thousands of columns, each as long as a file. */
export function columnList(columns: string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const column of columns) {
    const name = column.length > 40 ? `${column.slice(0, 40)}…` : column;
    length += name.length + 2;
    if (length > MAX_LISTED_CHARACTERS) break;
    shown.push(name);
  }
  const hidden = columns.length - shown.length;
  return `${shown.join(', ') || '(none)'}${hidden > 0 ? ` and ${hidden} more` : ''}`;
}

export function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
