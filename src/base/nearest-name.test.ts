import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance, nearestName } from './nearest-name.ts';

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

test('each letter that is added, left out, replaced or swapped with its neighbor counts one', () => {
  const cases: [a: string, b: string, edits: number][] = [
    ['', '', 0],
    ['name', 'name', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['name', 'nme', 1],
    ['nme', 'name', 1],
    ['name', 'nape', 1],
    ['name', 'nmae', 1],
    ['ab', 'ba', 1],
    ['abcd', 'badc', 2],
    ['aab', 'baa', 2],
    ['xa', 'bx', 2],
    ['ax', 'xb', 2],
    ['kitten', 'sitting', 3],
  ];
  for (const [a, b, edits] of cases) assert.equal(editDistance(a, b), edits, `${a} → ${b}`);
});

test('the nearest of several names is found, and the first of two that are as near', () => {
  assert.equal(nearestName('limits', ['limit_a', 'limit', 'lists']), 'limit');
  assert.equal(nearestName('lime', ['lima', 'limo']), 'lima');
});

test('a short name may differ by two letters, a longer one by a third of them', () => {
  assert.equal(nearestName('ab', ['abcd']), 'abcd');
  assert.equal(nearestName('ab', ['abcde']), null);
  assert.equal(nearestName('abcdefghi', ['abcdefghijkl']), 'abcdefghijkl');
  assert.equal(nearestName('abcdefghi', ['abcdefghijklm']), null);
  assert.equal(nearestName('x'.repeat(64), [`${'x'.repeat(63)}y`]), `${'x'.repeat(63)}y`);
});
