import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOf, sourceOf } from './destination.ts';

test('only names below an allowed place are destinations', () => {
  const allowed = ['s3://shop/exports?region=eu-central-1', 's3://lake/'];
  assert.deepEqual(destinationOf('s3://shop/exports/2026/users.parquet', allowed), {
    place: allowed[0],
    key: '2026/users.parquet',
  });
  assert.deepEqual(destinationOf('s3://lake/a.jsonl', allowed), { place: allowed[1], key: 'a.jsonl' });
  for (const wrong of [
    's3://shop/exports',
    's3://shop/exports/',
    's3://shop/exports-other/a',
    's3://shop/a',
    's3://other/exports/a',
    's3://shop/exports/../a',
    's3://shop/exports/a/../../b',
    's3://shop/exports//a',
    's3://shop/exports/.a',
    's3://shop/exports/a?endpoint=http://x',
    's3://shop/exports/a b',
    's3://shop/exports/a%2e',
    'https://shop/exports/a',
    'S3://shop/exports/a',
    `s3://shop/exports/${'a'.repeat(401)}`,
    '',
  ]) {
    assert.equal(destinationOf(wrong, allowed), null, wrong);
    assert.equal(destinationOf(wrong, []), null);
  }
});

test('a name may be as long as the place allows', () => {
  const allowed = ['s3://shop'];
  assert.notEqual(destinationOf(`s3://shop/${'a'.repeat(400)}`, allowed), null);
  assert.notEqual(sourceOf(`s3://shop/${'a'.repeat(1000)}`, allowed), null);
  assert.equal(sourceOf(`s3://shop/${'a'.repeat(1001)}`, allowed), null);
});

test('a file to read may have any name, but no way up and no control characters', () => {
  const allowed = ['s3://shop/in//?region=eu', 's3://lake'];
  const named = (key: string) => sourceOf(`s3://lake/${key}`, allowed);
  for (const key of ['Ärzte 2026.csv', 'a/b/C d+e.parquet', '.hidden', 'a..b', 'a./b..', '...a/x', '%2e%2e/a']) {
    assert.deepEqual(named(key), { place: 's3://lake', key }, key);
  }
  assert.deepEqual(sourceOf('s3://shop/in/a.csv', allowed), { place: allowed[0], key: 'a.csv' });
  for (const key of ['', 'a/', '/a', 'a//b', '..', 'a/../b', './a', 'a/...', 'a\nb', 'a\u0000']) {
    assert.equal(named(key), null, JSON.stringify(key));
  }
});
