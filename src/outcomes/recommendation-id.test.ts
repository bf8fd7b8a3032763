import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../test/support/new-ids.ts';
import { userHash } from '../base/id-hash.ts';
import { originKey } from '../domain/recommendation.ts';
import { MAX_RECOMMENDATION_ID_LENGTH, RecommendationIds, type RecommendationOrigin } from './recommendation-id.ts';

const SECRET = 'a secret that all nodes share';
const ids = new RecommendationIds(SECRET);
const ORIGIN: RecommendationOrigin = {
  accountId: newId('account'),
  projectId: newId('project'),
  modelId: newId('model'),
  placement: 'home-page',
  variant: 'b',
};
const NOW = 1_800_000_000_123;
const LIST = { items: 10, userId: 'user-1' };

/** The fields read from an id, without the random part. */
function readBy(reader: RecommendationIds, accountId: string, id: string) {
  const { random, seriesKey, ...read } = reader.read(accountId, id)!;
  assert.equal(seriesKey, originKey(read));
  assert.ok(random >= 0 && random < 2 ** 48);
  return read;
}
const expected = (origin: RecommendationOrigin) => ({
  ...origin,
  createdMs: NOW,
  items: 10,
  userHash: userHash(origin.accountId, 'user-1'),
});

test('an id says where and when a list was made, on any node with the same secret', () => {
  const id = ids.make(ORIGIN, LIST, NOW);
  assert.match(id, /^[\w-]+\.[\w-]+$/);
  assert.ok(id.length < 140, `${id.length} characters`);
  assert.deepEqual(readBy(new RecommendationIds(SECRET), ORIGIN.accountId, id), expected(ORIGIN));
});

test('ids of calls without placement, variant or model, and of odd ids, come back as they were', () => {
  for (const origin of [
    { ...ORIGIN, placement: null, variant: null },
    { ...ORIGIN, modelId: null },
    { ...ORIGIN, experimentId: newId('account').replace('acc', 'exp') },
    { ...ORIGIN, experimentId: 'exp_short' },
    { ...ORIGIN, projectId: 'p', modelId: 'mdl_short' },
    { ...ORIGIN, modelId: `mdl_${'z'.repeat(26)}` },
    { ...ORIGIN, placement: 'p'.repeat(64), variant: 'v'.repeat(64) },
  ]) {
    const id = ids.make(origin, LIST, NOW);
    assert.ok(id.length <= MAX_RECOMMENDATION_ID_LENGTH);
    assert.deepEqual(readBy(ids, origin.accountId, id), expected(origin));
  }
});

test('no two lists share an id', () => {
  const made = new Set(Array.from({ length: 5000 }, () => ids.make(ORIGIN, LIST, NOW)));
  assert.equal(made.size, 5000);
});

test('a changed id is refused, whichever character was changed', () => {
  const id = ids.make(ORIGIN, LIST, NOW);
  for (let at = 0; at < id.length; at++) {
    for (const other of ['A', 'b', '.', '=', '']) {
      const forged = id.slice(0, at) + other + id.slice(at + 1);
      if (forged !== id) assert.equal(ids.read(ORIGIN.accountId, forged), null, `${at} → ${other}`);
    }
  }
});

test('an id of another account or another service is refused, and so is any other text', () => {
  const id = ids.make(ORIGIN, LIST, NOW);
  assert.equal(ids.read(newId('account'), id), null);
  assert.equal(new RecommendationIds('another secret').read(ORIGIN.accountId, id), null);
  const foreign = ids.make({ ...ORIGIN, accountId: newId('account') }, LIST, NOW);
  assert.equal(ids.read(ORIGIN.accountId, foreign), null);
  const head = foreign.slice(0, foreign.indexOf('.'));
  assert.equal(
    ids.read(ORIGIN.accountId, head + id.slice(id.indexOf('.'))),
    null,
    'the head of one, the tail of another',
  );
  for (const text of ['', '.', 'x', `${id}${id}`, ` ${id}`, `${id}\n`, 'é'.repeat(60), 'A'.repeat(100_000)]) {
    assert.equal(ids.read(ORIGIN.accountId, text), null, text.slice(0, 20));
  }
});
