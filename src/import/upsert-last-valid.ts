// A call stores the last record of an id or, if that one is refused, none. An import decides which rows share a call, so its outcome must
// not depend on that: where the last row of an id is refused, the one before is sent, until one is stored. Each of these is a call of its
// own, so only the last rows of an id are tried: a column that is no id can have one value in all rows.
import type { ImportRecord } from './record-maker.ts';
import type { UpsertedRecords, UpsertRecords } from './upsert-records.ts';

/** Most rows of an id that are sent. */
export const MAX_TRIES = 10;

export function upsertLastValid(upsert: UpsertRecords, idOf: (record: ImportRecord) => string): UpsertRecords {
  return async (records) => {
    const succeed_ids: string[] = [];
    const failures = new Map<number, UpsertedRecords['failures'][number]>();
    const warnings: UpsertedRecords['warnings'][number][] = [];
    let sent = [...records.keys()];
    for (let tries = 1; sent.length > 0 && tries <= MAX_TRIES; tries++) {
      const response = await upsert(sent.map((index) => records[index]));
      succeed_ids.push(...response.succeed_ids);
      warnings.push(...response.warnings);
      for (const failure of response.failures) {
        const index = sent[failure.index];
        failures.set(index, { ...failure, index });
      }
      sent = response.failures.length === 0 ? [] : rowsBefore(failures, records, { succeed_ids, idOf });
    }
    return { succeed_ids, failures: [...failures.values()], warnings };
  };
}

/** The last record that was not refused of each id that is not stored. */
function rowsBefore(
  failures: ReadonlyMap<number, unknown>,
  records: readonly ImportRecord[],
  { succeed_ids, idOf }: { succeed_ids: readonly string[]; idOf: (record: ImportRecord) => string },
): number[] {
  const refused = new Set([...failures.keys()].map((index) => idOf(records[index])));
  for (const id of succeed_ids) refused.delete(id);
  const before = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    if (refused.has(idOf(record)) && !failures.has(index)) before.set(idOf(record), index);
  }
  return [...before.values()];
}
