import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacityOf } from './dataset.ts';
import { refusalOf } from './record-refusal.ts';

test('a record that the store refused says whether there was no room or its list is of another project', () => {
  const full = refusalOf('full', { kind: 'event', num_shards: 12 });
  assert.equal(full.code, 'DATASET_FULL');
  assert.match(full.message, /event dataset .* 12 shards/);
  assert.match(refusalOf('full', { kind: 'event', num_shards: 1 }).message, /1 shard /);
  assert.equal(refusalOf('foreign', { kind: 'event', num_shards: 1 }).code, 'INVALID_RECOMMENDATION_ID');
});

test('a dataset has room for a hundred thousand records in each shard', () => {
  assert.equal(capacityOf({ num_shards: 3 }), 300_000);
});
