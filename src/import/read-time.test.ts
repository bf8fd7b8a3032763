import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate } from './read-time.ts';

const read = (text: string) => parseDate(text, false);

test('a day that is in no calendar is no date', () => {
  for (const text of [
    '2026-02-30',
    '2026-02-29',
    '2026-04-31T10:00:00Z',
    '2026-02-30 10:00',
    '2026/02/30',
    '2026-02-30T10:00:00+02:00',
    '20260230',
    '31.02.2026',
    '2/30/2026 10:13 PM',
    '30 Feb 2026',
    'February 30, 2026 22:13',
    'Mon, 30 Feb 2026 10:00:00 GMT',
  ]) {
    assert.ok(Number.isNaN(read(text)), text);
  }
});

test('the last days of months are dates', () => {
  const lastDay = Date.UTC(2028, 1, 29);
  for (const text of ['2028-02-29', '20280229', '29.02.2028', '2/29/2028', '29 Feb 2028', 'February 29, 2028']) {
    assert.equal(read(text), lastDay, text);
  }
  assert.equal(read('Tue, 29 Feb 2028 01:00:00 +0200'), lastDay - 3_600_000);
  assert.equal(read('Tue Feb 29 2028 00:00:00 GMT+0000 (Coordinated Universal Time)'), lastDay);
  assert.equal(read('2026-12-31T23:30:00-02:00'), Date.UTC(2027, 0, 1, 1, 30));
});
