// docs/errors.md and src/errors.ts list the same codes, with the same statuses.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ERROR_CODES } from '../../src/errors.ts';

test('the page of errors lists every code of the table, with its status', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| *`([A-Z_]+)` *\| *(\d{3}) *\|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  assert.deepEqual(
    listed,
    Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]),
  );
});
