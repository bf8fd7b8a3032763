// A call stores the last record of an id or, if that one is refused, none. An import decides which rows share a call, so its outcome must
// not depend on that: where the last row of an id is refused, the one before is sent, until one is stored.
import type { ImportRecord } from './record-maker.ts';
import type { UpsertedRecords, UpsertRecords } from './upsert-records.ts';

export function upsertLastValid(upsert: UpsertRecords, idOf: (record: ImportRecord) => string): UpsertRecords {
  return async (records) => {
    const succeed_ids: string[] = [];
    const failures = new Map<number, UpsertedRecords['failures'][number]>();
    const warnings: UpsertedRecords['warnings'][number][] = [];
    let sent = [...records.keys()];
    while (sent.length > 0) {
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
