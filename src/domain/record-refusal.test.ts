import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from './dataset.ts';
import { withRefused } from './record-refusal.ts';

test('a record that the store refused says whether there was no room or its list is of another project', () => {
  const refusal = (outcome: 'full' | 'foreign', num_shards: number) =>
    withRefused([], [outcome], { kind: 'event', num_shards }, (index) => ({ index }))[0];
  const full = refusal('full', 12);
  assert.equal(full.code, 'DATASET_FULL');
  assert.match(full.message, /event dataset .* 12 shards/);
  assert.match(refusal('full', 1).message, /1 shard /);
  assert.equal(refusal('foreign', 1).code, 'INVALID_RECOMMENDATION_ID');
});

test('failures are in the order of the request, whoever found them', () => {
  const checked = [2, 5].map((index) => ({ index, code: 'INVALID_RECORD' as const, message: 'ts is missing.' }));
  const indexes = [0, 1, 3, 4];
  const outcomes = ['full', 'stored', 'foreign', 'stored'] as const;
  const failures = withRefused(checked, outcomes, { kind: 'event', num_shards: 1 }, (n) => ({ index: indexes[n] }));
  assert.deepEqual(
    failures.map(({ index, code }) => [index, code]),
    [
      [0, 'DATASET_FULL'],
      [2, 'INVALID_RECORD'],
      [3, 'INVALID_RECOMMENDATION_ID'],
      [5, 'INVALID_RECORD'],
    ],
  );
});

test('a dataset has room for a hundred thousand records in each shard', () => {
  assert.equal(capacityOf({ num_shards: 3 }), 300_000);
});
