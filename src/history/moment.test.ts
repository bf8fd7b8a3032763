import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentOf } from './moment.ts';

const MINUTE = 60_000;
const at = (agoMs: number) => ({
  history: [{ item_id: 'i', event_type: 'view', event_value: 1, ts: 1_800_000_000_000 - agoMs }],
});

test('a user browses for 30 minutes after the newest event, and arrives after that', () => {
  const moment = (agoMs: number) => momentOf(at(agoMs), 1_800_000_000_000);
  assert.equal(moment(0), 'browsing');
  assert.equal(moment(30 * MINUTE), 'browsing');
  assert.equal(moment(30 * MINUTE + 1), 'arriving');
  assert.equal(moment(-30 * MINUTE), 'browsing', 'a clock that is a little ahead');
  assert.equal(moment(-500 * MINUTE), 'arriving', 'a time that is wrong');
  assert.equal(momentOf({ history: [] }, 0), 'arriving');
});

test('the newest event that can be right decides, after times that are wrong', () => {
  const after = (...agoMs: number[]) =>
    momentOf({ history: agoMs.flatMap((ago) => at(ago).history) }, 1_800_000_000_000);
  assert.equal(after(-500 * MINUTE, 5 * MINUTE), 'browsing');
  assert.equal(after(-500 * MINUTE, 50 * MINUTE), 'arriving');
});
