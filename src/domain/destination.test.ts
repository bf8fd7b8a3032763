import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOf } from './destination.ts';

test('only names below an allowed place are destinations', () => {
  const allowed = ['s3://shop/exports?region=eu-central-1', 's3://lake/'];
  assert.deepEqual(destinationOf('s3://shop/exports/2026/users.parquet', allowed), {
    place: allowed[0],
    key: '2026/users.parquet',
  });
  assert.deepEqual(destinationOf('s3://lake/a.jsonl', allowed), { place: allowed[1], key: 'a.jsonl' });
  for (const wrong of [
    ...['s3://shop/exports', 's3://shop/exports/', 's3://shop/exports-other/a', 's3://shop/a', 's3://other/exports/a'],
    ...['s3://shop/exports/../a', 's3://shop/exports/a/../../b', 's3://shop/exports//a', 's3://shop/exports/.a'],
    ...[
      's3://shop/exports/a?endpoint=http://x',
      's3://shop/exports/a b',
      's3://shop/exports/a%2e',
      'https://shop/exports/a',
    ],
    ...['S3://shop/exports/a', `s3://shop/exports/${'a'.repeat(401)}`, ''],
  ]) {
    assert.equal(destinationOf(wrong, allowed), null, wrong);
    assert.equal(destinationOf(wrong, []), null);
  }
});
