import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessTimeFormat, parseDate } from './read-time.ts';

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
    '2026-Feb-30',
    '2/30/26',
    '31.02.26',
    '30-Feb-26',
    '31 Nov 26',
    'Feb 30, 26',
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

test('a date without a time of day is UTC, whatever it ends with', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  try {
    for (const text of ['15-Nov-2026', '2026-Nov-15', '2026-11-15', '15 Nov 2026', '2026-11-15 00:00']) {
      assert.equal(read(text), Date.UTC(2026, 10, 15), text);
    }
    assert.equal(read('2026-1-15'), Date.UTC(2026, 0, 15));
    assert.equal(read('14-Nov-2026 19:00 -0500'), Date.UTC(2026, 10, 15));
    assert.equal(read('Nov 14 2026 7:00 PM -05:00'), Date.UTC(2026, 10, 15));
    assert.equal(read('Sat Nov 14 2026 19:00:00 GMT-0500'), Date.UTC(2026, 10, 15));
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('a year of two digits is one of 1970 to 2069 after slashes, dots and months, and other short numbers are no dates', () => {
  for (const text of ['14-Nov-60', '14 Nov 60', 'Nov 14, 60']) assert.equal(read(text), Date.UTC(2060, 10, 14), text);
  assert.equal(read('14-Nov-70 22:13'), Date.UTC(1970, 10, 14, 22, 13));
  assert.equal(read('Nov 14, 2026 22:13'), Date.UTC(2026, 10, 14, 22, 13));
  assert.equal(read('04.03.26'), Date.UTC(2026, 2, 4));
  assert.equal(read('14.03.26 22:13'), Date.UTC(2026, 2, 14, 22, 13));
  assert.equal(read('4/3/26'), Date.UTC(2026, 3, 3));
  assert.equal(parseDate('4/3/26', true), Date.UTC(2026, 2, 4));
  assert.equal(read('12/31/99'), Date.UTC(1999, 11, 31));
  for (const text of ['26-03-04', '04-03-26', '4.3', '4/3', '11/14/126', '4.3.6']) {
    assert.ok(Number.isNaN(read(text)), text);
  }
});

test('the unit of times is what most cells show, whatever single cells are', () => {
  const rules: [usual: unknown, single: unknown, unit: string][] = [
    [1_794_000_000_000, 253_402_300_799_000, 'ms'],
    [1_794_000_000_000, 1_794_000_000_000_000, 'ms'],
    ['1794000000', '1794000000000', 's'],
    [1_794_000_000_000_000n, 1_794_000_000, 'us'],
    ['20261114', '5', 'date'],
    ['2026-11-14', '1794000000000', 'date'],
    ['1794000000000', 'soon', 'ms'],
  ];
  for (const [usual, single, unit] of rules) {
    assert.equal(guessTimeFormat([usual, single, usual, usual]).unit, unit, `${usual} and ${single}`);
  }
  assert.equal(guessTimeFormat([0, 0, 0, 1_794_000_000_000, null, ' ']).unit, 'ms');
});
