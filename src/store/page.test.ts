import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors.ts';
import { ENTRY_BYTES, fitting, numberedPageStart, pageOf, pageStart, tokenAfter } from './page.ts';

const position = (entry: number) => ({ ts: entry, id: `a:${entry}` });

test('a token leads to the place behind the last entry of its page', () => {
  const page = pageOf([5, 4, 3], { page_size: 2, page_token: null }, position);
  assert.deepEqual(page.entries, [5, 4]);
  assert.deepEqual(pageStart({ page_size: 2, page_token: page.next_page_token }), { ts: 4, id: 'a:4' });
  const longer = pageOf([9, 8, 7, 6], { page_size: 3, page_token: null }, position);
  assert.equal(longer.next_page_token, tokenAfter(position(7)));
});

test('the last page has no token', () => {
  assert.deepEqual(pageOf([5, 4], { page_size: 2, page_token: null }, position), {
    entries: [5, 4],
    next_page_token: null,
  });
});

test('a token that is not ours is refused', () => {
  const own = ['12', '12:', 'x12:a', '12:a\u0000', '12:a\nb', '12345678901234567:a'].map((text) =>
    Buffer.from(text).toString('base64url'),
  );
  for (const page_token of ['', 'x', 'OnRlc3Q', '%%%', ...own]) {
    assert.throws(
      () => pageStart({ page_size: 2, page_token }),
      (error) =>
        error instanceof AppError && error.code === 'INVALID_PAGE_TOKEN' && /next_page_token/.test(error.message),
    );
  }
});

test('the second key of a numbered list is a whole number', () => {
  const tokenOf = (id: string): string => tokenAfter({ ts: 7, id });
  assert.deepEqual(numberedPageStart({ page_size: 2, page_token: tokenOf('42') }), { ts: 7, no: 42 });
  assert.equal(numberedPageStart({ page_size: 2, page_token: null }).no, 0);
  for (const id of ['', '4x', 'x4', '-4', '1234567890123456']) {
    assert.throws(() => numberedPageStart({ page_size: 2, page_token: tokenOf(id) }), { code: 'INVALID_PAGE_TOKEN' });
  }
});

test('a page ends before the entry that would be too many or too large, and takes the first in any case', () => {
  const ofTwo = { page_size: 2, page_token: null };
  assert.equal(fitting([1, 1, 1], ofTwo), 2);
  assert.equal(fitting([1], ofTwo), 1);
  assert.equal(fitting([0, 0, 0, 0], { ...ofTwo, page_size: 9, max_bytes: 3 * ENTRY_BYTES }), 3, 'just full');
  assert.equal(fitting([5, 5], { ...ofTwo, max_bytes: 2 * (5 + ENTRY_BYTES) - 1 }), 1);
  assert.equal(fitting([10 ** 9, 1], ofTwo), 1);
});
