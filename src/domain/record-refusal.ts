// The reasons why the store refuses a record that is valid by itself.

import { plural } from '../base/plural.ts';
import type { Dataset } from './dataset.ts';
import type { RecordFailureCode } from './record.ts';
import { FOREIGN_LIST } from './record-batch.ts';

export function refusalOf(
  outcome: 'full' | 'foreign',
  { num_shards }: Pick<Dataset, 'num_shards'>,
): { code: RecordFailureCode; message: string } {
  return outcome === 'foreign'
    ? FOREIGN_LIST
    : { code: 'DATASET_FULL', message: `The dataset is full: ${plural(num_shards, 'shard')} of 100,000 records.` };
}
