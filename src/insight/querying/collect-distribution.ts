// `user_distribution`: the usages of one attribute value by all users, put aside as they stream by, then summarized.
import { join } from 'node:path';
import type { DistributionQuery } from '../../domain/insight-request.ts';
import { RecordSpill, type SpilledRecords } from '../../results/files/record-spill.ts';
import type { UsageBlock } from '../usage/usage-block.ts';
import type { UsagePairs } from '../usage/usage-pairs.ts';
import { summarizeUsage, type UsageSummary } from './summarize-usage.ts';

/** Name of the file in the job's folder. */
export const distributionFile = (query: number): string => `distribution-${query}`;

export class DistributionCollector {
  readonly #queries: { pair: number; spill: RecordSpill }[];

  private constructor(queries: { pair: number; spill: RecordSpill }[]) {
    this.#queries = queries;
  }

  static async create(
    queries: readonly DistributionQuery[],
    pairs: UsagePairs,
    scratchDir: string,
  ): Promise<DistributionCollector> {
    const compiled: { pair: number; spill: RecordSpill }[] = [];
    for (const [index, { attribute, value }] of queries.entries()) {
      const spill = await RecordSpill.create(join(scratchDir, distributionFile(index)), 1);
      compiled.push({ pair: pairs.numberOf(attribute, value), spill });
    }
    return new DistributionCollector(compiled);
  }

  async add(block: UsageBlock, pairCount: number): Promise<void> {
    for (const { pair, spill } of this.#queries) {
      for (let row = 0; row < block.count; row++) {
        if (spill.full) await spill.flushIfFull();
        spill.append()[0] = block.usages[row * pairCount + pair];
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

export async function distributionOf(
  spill: SpilledRecords,
  { bins }: Pick<DistributionQuery, 'bins'>,
): Promise<UsageSummary> {
  return summarizeUsage(await spill.readAll(), bins);
}
