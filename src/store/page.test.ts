import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors.ts';
import { pageOf, pageStart } from './page.ts';

const position = (entry: number) => ({ ts: entry, id: `a:${entry}` });

test('a token leads to the place behind the last entry of its page', () => {
  const page = pageOf([5, 4, 3], { page_size: 2, page_token: null }, position);
  assert.deepEqual(page.entries, [5, 4]);
  assert.deepEqual(pageStart({ page_size: 2, page_token: page.next_page_token }), { ts: 4, id: 'a:4' });
});

test('the last page has no token', () => {
  assert.deepEqual(pageOf([5, 4], { page_size: 2, page_token: null }, position), {
    entries: [5, 4],
    next_page_token: null,
  });
});

test('a token that is not ours is refused', () => {
  for (const page_token of ['', 'x', 'OnRlc3Q', '%%%', Buffer.from('12').toString('base64url')]) {
    assert.throws(
      () => pageStart({ page_size: 2, page_token }),
      (error) => error instanceof AppError && error.code === 'INVALID_PAGE_TOKEN',
    );
  }
});
