// The reasons why the store refuses a record that is valid by itself.

import { plural } from '../base/plural.ts';
import type { Dataset } from './dataset.ts';
import type { RecordFailureCode } from './record.ts';
import { FOREIGN_LIST } from './record-batch.ts';

/** What the store says of a record that it did not store; see PatchOutcome. */
type Refusal = 'full' | 'foreign' | 'unknown' | 'too-large' | 'too-much';

interface Reason {
  code: RecordFailureCode;
  message: string;
}

/** The failures of a batch by index: those of its check, and what the store refused. `placeOf(n)`: the record of outcomes[n]. */
export function withRefused<Place extends { index: number }>(
  failures: readonly (Place & Reason)[],
  outcomes: readonly ('stored' | Refusal)[],
  dataset: Pick<Dataset, 'kind' | 'num_shards'>,
  placeOf: (n: number) => Place,
): (Place & Reason)[] {
  const all = [...failures];
  for (const [n, outcome] of outcomes.entries()) {
    if (outcome !== 'stored') all.push({ ...placeOf(n), ...refusalOf(outcome, dataset) });
  }
  return all.sort((a, b) => a.index - b.index);
}

function refusalOf(outcome: Refusal, { kind, num_shards }: Pick<Dataset, 'kind' | 'num_shards'>): Reason {
  switch (outcome) {
    case 'foreign':
      return FOREIGN_LIST;
    case 'full':
      return {
        code: 'DATASET_FULL',
        message: `The ${kind} dataset is full: ${plural(num_shards, 'shard')} of 100,000 records.`,
      };
    case 'unknown':
      return { code: 'RECORD_NOT_FOUND', message: `The dataset has no ${kind} with this id. Upsert it first.` };
    case 'too-large':
      return {
        code: 'RECORD_TOO_LARGE',
        message: 'The patched record would exceed 1,048,576 bytes of JSON or 10,000 objects in its attributes.',
      };
    case 'too-much':
      return {
        code: 'RECORD_TOO_LARGE',
        message: 'The records patched in one call may not exceed 64 MiB in total. Send this patch in another call.',
      };
  }
}
