// Tables as an import reads them: the plan, the records and why rows were skipped.
import { type PlanOptions, planImport } from '../../src/import/import-plan.ts';
import { recordMaker } from '../../src/import/record-maker.ts';
import { type CsvOptions, csvTable, peekRows, type Table } from '../../src/import/table.ts';

export async function* bytes(text: string, encoding: BufferEncoding = 'utf8') {
  const all = Buffer.from(text, encoding);
  // Small chunks cut lines and characters in two.
  for (let at = 0; at < all.length; at += 7) yield all.subarray(at, at + 7);
}

export async function read(table: Table, options: PlanOptions = {}) {
  const peeked = await peekRows(table, 100);
  const plan = planImport(table, peeked.sample, options);
  const make = recordMaker(plan);
  const records: unknown[] = [];
  const errors: string[] = [];
  for await (const piece of peeked.table.pieces) {
    for (const row of piece) {
      try {
        records.push(make(row));
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
  }
  return { plan, records, errors };
}

export const readCsv = async (text: string, options: PlanOptions = {}, csv: CsvOptions = {}) =>
  read(await csvTable(bytes(text), csv), options);
