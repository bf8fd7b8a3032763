import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankerCandidates } from './rerank.ts';

test('the ranker gets ten times the limit, at least 50 and at most 500', () => {
  assert.equal(rankerCandidates(1, 1_000_000), 50);
  assert.equal(rankerCandidates(10, 1_000_000), 100);
  assert.equal(rankerCandidates(50, 1_000_000), 500);
  assert.equal(rankerCandidates(200, 1_000_000), 500);
});

test('it gets at most a quarter of the catalog, but never fewer than twice the limit', () => {
  assert.equal(rankerCandidates(10, 200), 50);
  assert.equal(rankerCandidates(10, 100), 25);
  assert.equal(rankerCandidates(10, 60), 20);
  assert.equal(rankerCandidates(500, 1_000_000), 1000);
});
