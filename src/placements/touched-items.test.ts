import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Touch } from '../history/touches.ts';
import { isKnown } from './touched-items.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

test('a view is forgotten after some days, unless its time is none', () => {
  const viewedAt = (ts: number) => Object.assign(new Touch(1), { otherTs: ts });
  const rules = { nowMs: NOW, touchMs: 90 * DAY, excludeSeen: null };
  assert.equal(isKnown(viewedAt(NOW - 89 * DAY), rules), true);
  assert.equal(isKnown(viewedAt(NOW - 91 * DAY), rules), false);
  // Places in a file, and no time at all.
  assert.equal(isKnown(viewedAt(17), rules), true);
  assert.equal(isKnown(viewedAt(0), rules), true);
});
