import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFilter } from './check-filter.ts';

test('a parameter is a problem where nobody gives its value', () => {
  assert.equal(checkFilter('price < $max')?.position, 9);
  assert.match(checkFilter('price < $max')?.message ?? '', /max/);
  assert.equal(checkFilter('price < $max', { allowsParams: true }), null);
});

test('other problems are found with and without parameters', () => {
  for (const allowsParams of [true, false]) {
    assert.equal(checkFilter('price <', { allowsParams })?.position, 8);
    assert.equal(
      checkFilter(" price < user.budget AND days_since(published) < 30 AND genre = 'War' ", { allowsParams }),
      null,
    );
    assert.equal(checkFilter(' ', { allowsParams }), null);
  }
});
