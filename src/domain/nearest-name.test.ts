import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

const KNOWN = ['user_dataset_id', 'name', 'num_shards', 'attribute_schema'];

test('a typing error finds the name that was meant', () => {
  assert.equal(nearestName('nmae', KNOWN), 'name');
  assert.equal(nearestName('Name', KNOWN), 'name');
  assert.equal(nearestName('numshards', KNOWN), 'num_shards');
  assert.equal(nearestName('user_dataset', KNOWN), 'user_dataset_id');
});

test('what is like nothing known finds nothing', () => {
  assert.equal(nearestName('zebra', KNOWN), null);
  assert.equal(nearestName('x'.repeat(10_000), KNOWN), null);
  assert.equal(nearestName('name', []), null);
});
