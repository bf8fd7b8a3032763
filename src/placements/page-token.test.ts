import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../errors.ts';
import { MAX_SHOWN, MAX_TOKEN_LENGTH, PageTokens } from './page-token.ts';

const tokens = new PageTokens('a secret that all nodes share');
const LIST = { accountId: 'acc_1', projectId: 'prj_1', identity: '["recommend","u1"]' };
const refused = (read: () => unknown, what: string) =>
  assert.throws(
    read,
    (error: unknown) =>
      error instanceof AppError && error.code === 'INVALID_PAGE_TOKEN' && error.errors?.[0].pointer === '/page_token',
    what,
  );

test('a token brings the shown items back, on any node with the same secret', () => {
  for (const shown of [
    ['i1'],
    ['a', 'b c', 'é漢🙂', '"quoted", \\'],
    Array.from({ length: 1000 }, (_, n) => `item-${n}`),
  ]) {
    const token = tokens.make(LIST, shown)!;
    assert.match(token, /^[\w-]+\.[\w-]{16}$/);
    assert.deepEqual(new PageTokens('a secret that all nodes share').read(LIST, token), shown);
  }
});

test('a changed token, or one of another list, project, account or service, is refused', () => {
  const token = tokens.make(LIST, ['i1', 'i2'])!;
  for (let at = 0; at < token.length; at++) {
    for (const other of ['A', '.', '']) {
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      if (changed !== token) refused(() => tokens.read(LIST, changed), `${at} → ${other}`);
    }
  }
  refused(() => tokens.read({ ...LIST, accountId: 'acc_2' }, token), 'account');
  refused(() => tokens.read({ ...LIST, projectId: 'prj_2' }, token), 'project');
  refused(() => tokens.read({ ...LIST, identity: '["recommend","u2"]' }, token), 'user');
  refused(() => new PageTokens('another').read(LIST, token), 'service');
  for (const text of ['', '.', 'x', 'A'.repeat(20)]) refused(() => tokens.read(LIST, text), text);
  refused(() => tokens.read(LIST, tokens.make(LIST, [])!), 'no item');
});

test('a list ends where its token would be too long', () => {
  assert.equal(
    tokens.make(
      LIST,
      Array.from({ length: MAX_SHOWN + 1 }, (_, n) => `${n}`),
    ),
    null,
  );
  const long = (items: number) =>
    tokens.make(
      LIST,
      Array.from({ length: items }, () => 'x'.repeat(256)),
    );
  assert.equal(long(300), null);
  assert.ok(long(150)!.length <= MAX_TOKEN_LENGTH);
  assert.equal(tokens.make(LIST, ['x'.repeat(49_139)])!.length, MAX_TOKEN_LENGTH);
  assert.equal(tokens.make(LIST, ['x'.repeat(49_140)]), null);
});
