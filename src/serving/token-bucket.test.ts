import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

const takeAll = (bucket: TokenBucket, nowMs: number, tries: number) =>
  Array.from({ length: tries }, () => bucket.take(nowMs)).filter((wait) => wait === 0).length;

test('a burst of one second passes, then the rate', () => {
  const bucket = new TokenBucket(10, 0);
  assert.equal(takeAll(bucket, 0, 50), 10);
  assert.equal(takeAll(bucket, 500, 50), 5);
  assert.equal(takeAll(bucket, 60_000, 50), 10);
});

test('a refused call learns when the next one may pass', () => {
  const bucket = new TokenBucket(2, 0);
  takeAll(bucket, 0, 2);
  assert.equal(bucket.take(0), 500);
  assert.ok(Math.abs(bucket.take(400) - 100) < 1e-6);
  assert.equal(bucket.take(500), 0);
});

test('a share below one call a second still lets calls pass', () => {
  const bucket = new TokenBucket(0.5, 0);
  assert.equal(bucket.take(0), 0);
  assert.equal(bucket.take(0), 2000);
  assert.equal(bucket.take(2000), 0);
});

test('a new rate holds from now on and does not fill the bucket', () => {
  const bucket = new TokenBucket(10, 0);
  takeAll(bucket, 0, 10);
  bucket.setRate(100, 0);
  assert.equal(takeAll(bucket, 0, 5), 0);
  assert.equal(takeAll(bucket, 100, 50), 10);
});
