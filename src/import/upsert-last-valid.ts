// A call stores the last record of an id or, if that one is refused, none. An import decides which rows share a call, so its outcome must
// not depend on that: where the last row of an id is refused, the one before is sent, until one is stored. Each of these is a call of its
// own, so only the last rows of an id are tried: a column that is no id can have one value in all rows. The rows before them are refused too.
import type { ImportRecord } from './record-maker.ts';
import type { UpsertedRecords, UpsertRecords } from './upsert-records.ts';

type Failure = UpsertedRecords['failures'][number];

/** Most rows of an id that are sent. */
export const MAX_TRIES = 10;

export function upsertLastValid(upsert: UpsertRecords, idOf: (record: ImportRecord) => string): UpsertRecords {
  return async (records) => {
    const stored = new Set<string>();
    const failures = new Map<number, Failure>();
    /** the last refusal of each id */
    const refusals = new Map<string, Failure>();
    const warnings: UpsertedRecords['warnings'][number][] = [];
    let sent = [...records.keys()];
    let left: number[] = [];
    for (let tries = 1; sent.length > 0 && tries <= MAX_TRIES; tries++) {
      const response = await upsert(sent.map((index) => records[index]));
      for (const id of response.succeed_ids) stored.add(id);
      warnings.push(...response.warnings);
      for (const failure of response.failures) {
        const index = sent[failure.index];
        failures.set(index, { ...failure, index });
        refusals.set(idOf(records[index]), failure);
      }
      left = [...records.keys()].filter((index) => {
        const id = idOf(records[index]);
        return refusals.has(id) && !stored.has(id) && !failures.has(index);
      });
      sent = [...new Map(left.map((index) => [idOf(records[index]), index])).values()];
    }
    for (const index of left) {
      const { message, ...refusal } = refusals.get(idOf(records[index]))!;
      failures.set(index, {
        ...refusal,
        index,
        message: `Not sent, because the last ${MAX_TRIES} rows with this id were refused: ${message}`,
      });
    }
    return { succeed_ids: [...stored], failures: [...failures.values()], warnings };
  };
}
