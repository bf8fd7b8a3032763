import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbered } from './placeholders.ts';

test('placeholders are numbered, question marks in quotes are not', () => {
  assert.equal(
    numbered(`SELECT '?', "a?", 'it''s ?' FROM t WHERE a = ? AND b IN (?, ?)`),
    `SELECT '?', "a?", 'it''s ?' FROM t WHERE a = $1 AND b IN ($2, $3)`,
  );
});
