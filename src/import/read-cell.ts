// The cells of a row's fields → what the API takes. A cell that cannot become that throws a RowError.
import { isEmpty } from './empty-cell.ts';
import type { ImportPlan } from './import-plan.ts';
import { type NumberFormat, readNumber } from './read-number.ts';
import { parseDate } from './read-time.ts';
import type { Table } from './table.ts';

export class RowError extends Error {
  override readonly name = 'RowError';
}

export function idOf(cell: unknown, field: string, cells: Table['cells']): string {
  const text = textOf(cell, field, cells);
  if (text === '') throw new RowError(`${field} is empty`);
  return text;
}

/**
 * Objects, such as ids as MongoDB exports them, have no text of their own: all would be the same. Booleans are no ids.
 * Spaces around a text of CSV come from its layout; in formats with types they belong to it.
 */
export function textOf(cell: unknown, field: string, cells: Table['cells']): string {
  if (isEmpty(cell)) return '';
  if (!isScalar(cell)) throw new RowError(`${field} is not a text`);
  if (Number.isInteger(cell) && !Number.isSafeInteger(cell)) {
    throw new RowError(`${field} is a number that has lost digits: ${String(cell)}. Write it as a text`);
  }
  return cells === 'text' ? String(cell).trim() : String(cell);
}

function isScalar(cell: unknown): boolean {
  return ['string', 'number', 'bigint'].includes(typeof cell);
}

export function numberOf(cell: unknown, field: string, format: NumberFormat = 'plain'): number {
  const isNumber = typeof cell === 'number' || typeof cell === 'bigint';
  const value = isNumber ? Number(cell) : typeof cell === 'string' ? readNumber(cell.trim(), format) : Number.NaN;
  if (!Number.isFinite(value)) throw new RowError(`${field} is not a number${shown(cell)}`);
  return value;
}

export function timeOf(cell: unknown, { tsUnit: unit, dayFirst }: ImportPlan): number {
  if (isEmpty(cell)) throw new RowError('ts is empty');
  if (unit === 'date' || cell instanceof Date) {
    const ms =
      cell instanceof Date ? cell.getTime() : isScalar(cell) ? parseDate(String(cell).trim(), dayFirst) : Number.NaN;
    if (Number.isNaN(ms)) throw new RowError(`ts is not a date${shown(cell)}`);
    return ms;
  }
  const value = numberOf(cell, 'ts');
  return Math.round(unit === 's' ? value * 1000 : unit === 'us' ? value / 1000 : value);
}

function shown(cell: unknown): string {
  return isScalar(cell) ? `: ${String(cell)}` : '';
}
