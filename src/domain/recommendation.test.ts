import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../test/support/new-ids.ts';
import {
  isSameSeries,
  MAX_LISTED,
  MAX_RECOMMENDATION_ID_LENGTH,
  originKey,
  packList,
  packOrigin,
  type RecommendationOrigin,
  readRecommendation,
  TAIL_BYTES,
  TAIL_LENGTH,
} from './recommendation.ts';

const ORIGIN: RecommendationOrigin = {
  accountId: newId('account'),
  projectId: newId('project'),
  modelId: newId('model'),
  placement: 'home',
  variant: 'B',
  experimentId: newId('experiment'),
};
const LIST = { createdMs: 1_800_000_000_123, items: 20, userHash: 2 ** 51 + 12_345 };
const RANDOM = 0x0102_0304_0506;

function idOf(head: Buffer, list = LIST): string {
  const tail = Buffer.alloc(TAIL_BYTES);
  tail.writeUIntBE(RANDOM, 6, 6);
  packList(tail, list);
  return `${head.toString('base64url')}.${tail.toString('base64url')}`;
}

test('an id says where its list came from, when, for whom and how long it was', () => {
  const expected = { ...ORIGIN, ...LIST, random: RANDOM, seriesKey: originKey(ORIGIN) };
  assert.deepEqual(readRecommendation(idOf(packOrigin(ORIGIN))), expected);
  assert.deepEqual(readRecommendation(`${idOf(packOrigin(ORIGIN))}SIGNATURE`), expected);
});

test('what a list has not is absent in its id', () => {
  const plain = { accountId: 'shop', projectId: 'prj_main', modelId: null, placement: null, variant: null };
  const read = readRecommendation(idOf(packOrigin(plain)));
  assert.deepEqual(read, { ...plain, ...LIST, random: RANDOM, seriesKey: originKey(plain) });
  assert.equal('experimentId' in read!, false);
});

test('ids that the service did not make are kept as they are', () => {
  const made = newId('project').slice('prj_'.length);
  for (const projectId of [
    made,
    `acc_${made}`,
    `prj_${made}0`,
    `prj_${made.slice(1)}`,
    `prj_${made.slice(1)}u`,
    `prj_${'z'.repeat(26)}`,
    `prj_8${'0'.repeat(25)}`,
    `prj_7${'z'.repeat(25)}`,
    'prj_00000000000000000000000001',
    'Läden',
    'x'.repeat(254),
  ]) {
    const origin = { ...ORIGIN, projectId };
    assert.equal(readRecommendation(idOf(packOrigin(origin)))?.projectId, projectId, projectId);
  }
  assert.throws(() => packOrigin({ ...ORIGIN, projectId: 'x'.repeat(255) }), RangeError);
});

test('an id that the service made takes 17 bytes', () => {
  assert.equal(packOrigin(ORIGIN).length, 1 + 4 * 17 + ('home'.length + 1) + ('B'.length + 1));
});

test('a list longer than can be counted has the largest count', () => {
  assert.equal(readRecommendation(idOf(packOrigin(ORIGIN), { ...LIST, items: 70_000 }))?.items, MAX_LISTED);
});

test('what is no id of this service is unreadable', () => {
  const head = packOrigin(ORIGIN);
  const id = idOf(head);
  const otherVersion = Buffer.concat([Buffer.of(1), head.subarray(1)]);
  for (const text of [
    '',
    'x',
    id.slice(id.indexOf('.')),
    id.replace('.', ''),
    id.slice(0, -1),
    `${id.slice(0, -1)}!`,
    idOf(otherVersion),
    id + 'x'.repeat(MAX_RECOMMENDATION_ID_LENGTH + 1 - id.length),
  ]) {
    assert.equal(readRecommendation(text), null, text);
  }
  assert.notEqual(readRecommendation(id + 'x'.repeat(MAX_RECOMMENDATION_ID_LENGTH - id.length)), null);
  assert.equal(id.length - id.indexOf('.') - 1, TAIL_LENGTH);
});

test('lists are counted together when project, placement, experiment and variant are the same', () => {
  const { experimentId, ...withoutExperiment } = ORIGIN;
  assert.ok(isSameSeries({ ...withoutExperiment, experimentId: null }, withoutExperiment));
  assert.equal(originKey({ ...withoutExperiment, experimentId: null }), originKey(withoutExperiment));
  const same = { ...ORIGIN, modelId: null };
  assert.ok(isSameSeries(ORIGIN, same));
  assert.equal(originKey(ORIGIN), originKey(same));
  for (const change of [
    { projectId: 'other' },
    { placement: null },
    { placement: 'other' },
    { variant: null },
    { variant: 'A' },
    { experimentId: null },
    { experimentId: 'other' },
  ]) {
    const other = { ...ORIGIN, ...change };
    assert.equal(isSameSeries(ORIGIN, other), false, JSON.stringify(change));
    assert.notEqual(originKey(ORIGIN), originKey(other), JSON.stringify(change));
  }
});
