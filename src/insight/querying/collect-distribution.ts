// `user_distribution`: the usages of one attribute value by all users, put aside as they stream by, then summarised.
import { join } from 'node:path';
import type { DistributionQuery } from '../../domain/insight-request.ts';
import type { UsageBlock } from '../usage/usage-block.ts';
import { RecordSpill } from './record-spill.ts';
import { summariseUsage, type UsageSummary } from './summarise-usage.ts';
import type { UsagePairs } from './usage-pairs.ts';

export class DistributionCollector {
  readonly #queries: { pair: number; bins: number; spill: RecordSpill }[];

  private constructor(queries: { pair: number; bins: number; spill: RecordSpill }[]) {
    this.#queries = queries;
  }

  static async create(
    queries: readonly DistributionQuery[],
    pairs: UsagePairs,
    scratchDir: string,
  ): Promise<DistributionCollector> {
    const compiled: { pair: number; bins: number; spill: RecordSpill }[] = [];
    for (const [index, { attribute, value, bins }] of queries.entries()) {
      const spill = await RecordSpill.create(join(scratchDir, `distribution-${index}`), 1);
      compiled.push({ pair: pairs.numberOf(attribute, value), bins, spill });
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

  async summary(query: number): Promise<UsageSummary> {
    const { spill, bins } = this.#queries[query];
    return summariseUsage(await spill.readAll(), bins);
  }

  async close(): Promise<void> {
    for (const { spill } of this.#queries) await spill.close();
  }
}
