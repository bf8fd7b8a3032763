import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatAffinities,
  formatAffinity,
  formatAgo,
  formatBytes,
  formatDuration,
  formatShare,
  formatSilence,
  formatValue,
  plural,
} from './format.ts';

test('shares keep a decimal only below ten percent', () => {
  assert.equal(formatShare(0.0345), '3.5%');
  assert.equal(formatShare(0.345), '35%');
  assert.equal(formatShare(0), '0%');
});

test('affinities to rare values have the digits to tell them apart', () => {
  assert.equal(formatAffinity(0.0004), '0.04%');
  assert.deepEqual(formatAffinities([0, 0.0001, 0.00025]), ['0%', '0.010%', '0.025%']);
});

test('durations use the unit people would', () => {
  assert.equal(formatDuration(320), '320 ms');
  assert.equal(formatDuration(4_200), '4.2 s');
  assert.equal(formatDuration(95_000), '1 min 35 s');
  assert.equal(formatDuration(119_600), '2 min 0 s');
  assert.equal(formatDuration(3_720_000), '1 h 2 min');
});

test('a silence is told in hours, and from two days on in days', () => {
  const hour = 3_600_000;
  assert.deepEqual(
    [25, 47, 48, 700].map((hours) => formatSilence(hours * hour)),
    ['25 hours', '47 hours', '2 days', '29 days'],
  );
});

test('times ago are told in the largest unit that fits', () => {
  assert.equal(formatAgo(1_000_000 - 3_000, 1_000_000), 'just now');
  assert.equal(formatAgo(10_000_000 - 120_000, 10_000_000), '2 minutes ago');
});

test('attribute values of every kind are readable', () => {
  assert.equal(formatValue(['Drama', 'War']), 'Drama, War');
  assert.equal(formatValue(null), '–');
  assert.equal(formatValue(12.5), '12.5');
  assert.equal(formatValue({ a: 1 }), '{"a":1}');
});

test('counts carry their noun', () => {
  assert.equal(plural(1, 'user'), '1 user');
  assert.equal(plural(2300, 'user'), '2,300 users');
});

test('bytes are shown in the unit that fits', () => {
  assert.deepEqual([0, 999, 1500, 107_374_182_400].map(formatBytes), ['0 bytes', '999 bytes', '1.5 kB', '107.4 GB']);
});
