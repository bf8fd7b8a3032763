// `user_list`: while users stream by, those that meet all conditions of a query are put aside; ListMatches has them sorted.
import { join } from 'node:path';
import type { Condition, ListQuery } from '../../domain/insight-request.ts';
import { RecordSpill, type SpilledRecords } from '../../results/files/record-spill.ts';
import type { UsageBlock } from '../usage/usage-block.ts';
import type { UsagePairs } from '../usage/usage-pairs.ts';
import { shortNumber } from './short-number.ts';

interface CompiledQuery {
  readonly pairs: readonly number[];
  readonly conditions: readonly Condition[];
  readonly spill: RecordSpill;
}

export interface Match {
  user: number;
  /** index into BASES */
  basis: number;
  /** one per condition of the query, in their order */
  usages: Float32Array;
}

/** Larger than the change that shortNumber makes to a usage, which is at most 1. */
const SHORTENED = 1e-7;

/** Name of the file in the job's folder. */
export const listFile = (query: number): string => `list-${query}`;
/** User, basis and a usage for each condition. */
export const listWidth = (conditions: readonly Condition[]): number => conditions.length + 2;

export class ListCollector {
  readonly #queries: CompiledQuery[];

  private constructor(queries: CompiledQuery[]) {
    this.#queries = queries;
  }

  static async create(queries: readonly ListQuery[], pairs: UsagePairs, scratchDir: string): Promise<ListCollector> {
    const compiled: CompiledQuery[] = [];
    for (const [index, { conditions }] of queries.entries()) {
      compiled.push({
        conditions,
        pairs: conditions.map(({ attribute, value }) => pairs.numberOf(attribute, value)),
        spill: await RecordSpill.create(join(scratchDir, listFile(index)), listWidth(conditions)),
      });
    }
    return new ListCollector(compiled);
  }

  async add(block: UsageBlock, pairCount: number): Promise<void> {
    for (const { pairs, conditions, spill } of this.#queries) {
      for (let row = 0; row < block.count; row++) {
        if (!meets(block.usages, row * pairCount, pairs, conditions)) continue;
        if (spill.full) await spill.flushIfFull();
        const record = spill.append();
        // A float holds whole numbers to 2²⁴ only, so the user's number goes in as bits.
        new Uint32Array(record.buffer, record.byteOffset, 1)[0] = block.first + row;
        record[1] = block.basis[row];
        for (let n = 0; n < pairs.length; n++) record[n + 2] = block.usages[row * pairCount + pairs[n]];
      }
    }
  }

  /** The collected records of each query. */
  get spills(): readonly SpilledRecords[] {
    return this.#queries.map(({ spill }) => spill);
  }

  async close(): Promise<void> {
    for (const { spill } of this.#queries) await spill.close();
  }
}

/** The users that each query has found. */
export class ListMatches {
  readonly #spills: readonly SpilledRecords[];

  constructor(spills: readonly SpilledRecords[]) {
    this.#spills = spills;
  }

  count(query: number): number {
    return this.#spills[query].records;
  }

  /** Highest usage of the first condition first, then of the second and so on; equal ones in the order of users. */
  async of(query: number): Promise<Iterable<Match>> {
    const spill = this.#spills[query];
    return sortedMatches(await spill.readAll(), spill.width);
  }
}

function* sortedMatches(records: Float32Array, width: number): Generator<Match> {
  const users = new Uint32Array(records.buffer);
  const order = Uint32Array.from({ length: records.length / width }, (_, record) => record);
  order.sort((a, b) => {
    for (let column = 2; column < width; column++) {
      const difference = records[b * width + column] - records[a * width + column];
      if (difference !== 0) return difference;
    }
    return users[a * width] - users[b * width];
  });
  for (const record of order) {
    const start = record * width;
    yield { user: users[start], basis: records[start + 1], usages: records.subarray(start + 2, start + width) };
  }
}

function meets(usages: Float32Array, row: number, pairs: readonly number[], conditions: readonly Condition[]): boolean {
  for (let n = 0; n < pairs.length; n++) {
    const usage = usages[row + pairs[n]];
    const { lower_bound: lower, upper_bound: upper } = conditions[n];
    if (lower !== null && asCompared(usage, lower) < lower) return false;
    if (upper !== null && asCompared(usage, upper) > upper) return false;
  }
  return true;
}

/** Next to a bound, the usage as the result contains it: a bound taken from a result includes that user. */
const asCompared = (usage: number, bound: number): number =>
  Math.abs(usage - bound) < SHORTENED ? shortNumber(usage) : usage;
