// A row of a table → the record the API takes, by the plan. A row that cannot become one throws a RowError.
import type { EventRecord, ItemRecord, UserRecord } from '../client/api-types.ts';
import { isEmpty } from './empty-cell.ts';
import type { AttributeColumn, ImportPlan } from './import-plan.ts';
import { withLateColumns } from './late-columns.ts';
import { idOf, numberOf, RowError, textOf, timeOf } from './read-cell.ts';
import { parseNumber } from './read-number.ts';
import { isoTimeOf } from './read-time.ts';
import { type Table, type TableRow, UnreadableRow } from './table.ts';

export { RowError };
export type ImportRecord = UserRecord | ItemRecord | EventRecord;

const MAX_ID_CHARACTERS = 256;

export function recordMaker(plan: ImportPlan): (row: TableRow) => ImportRecord {
  let known = plan;
  let make = makerOf(known);
  return (row) => {
    if (row instanceof UnreadableRow) throw new RowError(row.message);
    if (row.length > known.plannedColumns) {
      known = withLateColumns(known);
      make = makerOf(known);
    }
    return make(row);
  };
}

function makerOf(plan: ImportPlan): (row: unknown[]) => ImportRecord {
  const attributesOf = attributesMaker(plan);
  const { fields, cells } = plan;
  const idAt = (field: 'user_id' | 'item_id') => {
    const index = fields[field] as number;
    return (row: unknown[]) => idOf(row[index], field, cells);
  };
  if (plan.kind === 'users') {
    const userId = idAt('user_id');
    return (row) => ({ user_id: userId(row), attributes: attributesOf(row) });
  }
  if (plan.kind === 'items') {
    const itemId = idAt('item_id');
    return (row) => ({ item_id: itemId(row), attributes: attributesOf(row) });
  }
  const [userId, itemId] = [idAt('user_id'), idAt('item_id')];
  const { event_type: typeIndex, event_value: valueIndex, recommendation_id: listIndex } = fields;
  const { ts: tsIndex, event_id: idIndex } = fields;
  return (row) => {
    const user_id = userId(row);
    const item_id = itemId(row);
    const ts = tsIndex === undefined ? 0 : timeOf(row[tsIndex], plan);
    const event_type =
      typeIndex === undefined ? plan.eventType : textOf(row[typeIndex], 'event_type', cells) || plan.eventType;
    const givenId = idIndex === undefined ? '' : textOf(row[idIndex], 'event_id', cells);
    const event_id = givenId || madeEventId(user_id, item_id, ts, event_type);
    const event: EventRecord = { event_id, user_id, item_id, ts, event_type };
    if (valueIndex !== undefined && !isEmpty(row[valueIndex])) {
      const value = numberOf(row[valueIndex], 'event_value', plan.valueFormat);
      if (value !== 0 || !plan.zeroIsNoValue) event.event_value = value;
    }
    if (listIndex !== undefined && !isEmpty(row[listIndex])) {
      event.recommendation_id = textOf(row[listIndex], 'recommendation_id', cells);
    }
    const attributes = attributesOf(row);
    if (attributes !== undefined) event.attributes = attributes;
    return event;
  };
}

function attributesMaker(plan: ImportPlan): (row: unknown[]) => Record<string, unknown> | undefined {
  const { attributes: columns, attributesColumn } = plan;
  if (columns.length === 0 && attributesColumn < 0 && plan.cells === 'text') return () => undefined;
  return (row) => {
    const attributes: Record<string, unknown> = {};
    for (const column of columns) {
      const cell = row[column.index];
      if (isEmpty(cell)) continue;
      const value = attributeOf(cell, column, plan.cells);
      if (value !== undefined) attributes[column.name] = value;
    }
    if (attributesColumn >= 0) Object.assign(attributes, objectOf(row[attributesColumn], plan.cells));
    return attributes;
  };
}

function attributeOf(cell: unknown, column: AttributeColumn, cells: Table['cells']): unknown {
  if (column.type === 'typed') return typedValue(cell, cells);
  if (column.type === 'time') return isoTimeOf(typedValue(cell, cells));
  return textValue(String(cell), column);
}

function textValue(text: string, column: AttributeColumn): unknown {
  const trimmed = text.trim();
  switch (column.type) {
    case 'number': {
      const value = parseNumber(trimmed, column.format);
      return Number.isNaN(value) ? trimmed : value;
    }
    case 'boolean':
      return /^true$/i.test(trimmed) ? true : /^false$/i.test(trimmed) ? false : trimmed;
    case 'list':
      return trimmed
        .split(column.separator)
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
    case 'json':
      try {
        return JSON.parse(trimmed);
      } catch {
        return trimmed;
      }
    default:
      return text;
  }
}

/** Values of formats with types, in what JSON can say. A number of JSON stays a number, even if it loses digits. */
export function typedValue(value: unknown, cells: Table['cells'] = 'typed'): unknown {
  if (typeof value === 'bigint') {
    return cells === 'json' || Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (value instanceof Date) return value.getTime();
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) return value.map((inner) => typedValue(inner, cells));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, typedValue(inner, cells)]));
}

function objectOf(cell: unknown, cells: Table['cells']): object {
  if (typeof cell === 'object' && cell !== null) return typedValue(cell, cells) as object;
  if (isEmpty(cell)) return {};
  try {
    const value: unknown = JSON.parse(String(cell));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Falls through to the error below: both mean the same to the reader.
  }
  throw new RowError('attributes is not a JSON object');
}

/** The same row always gives the same id, so importing a file twice stores its events once. */
function madeEventId(userId: string, itemId: string, ts: number, eventType: string): string {
  const id = `${escaped(userId)}:${escaped(itemId)}:${ts}:${escaped(eventType)}`;
  return id.length <= MAX_ID_CHARACTERS ? id : `h:${ts}:${hash53(id, 0)}${hash53(id, 1)}`;
}

/** The user a:b with the item c is not the user a with the item b:c. */
function escaped(part: string): string {
  return part.replaceAll(/[\\:]/g, '\\$&');
}

/** A 53-bit hash. Two of them with different seeds (106 bits) replace an id that is too long. */
function hash53(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
