import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question } from '../dataset/questions.ts';
import { dealQuestions } from './deal-questions.ts';

/** Deals one question per user, which follows all of the user's events. */
function dealt(eventsOfUsers: readonly number[]) {
  const userOffsets = new Uint32Array(eventsOfUsers.length + 1);
  for (const [user, events] of eventsOfUsers.entries()) userOffsets[user + 1] = userOffsets[user] + events;
  const questions = eventsOfUsers.map((_, user): Question => ({ user, end: userOffsets[user + 1], targets: [0] }));
  const { fit, choose, report } = dealQuestions(questions, { userOffsets, historyCap: 1000, seed: 1 });
  return { counts: [fit, choose, report].map(({ length }) => length), users: { fit, choose, report } };
}

test('half of the users fit, a quarter chooses and a quarter measures', () => {
  const { counts } = dealt(Array.from({ length: 4000 }, () => 10));
  const expected = [2000, 1000, 1000];
  for (const [n, count] of counts.entries()) assert.ok(Math.abs(count - expected[n]) < 100, `${counts}`);
});

test('accounts with more events than a history holds do not end the draw', () => {
  const crowd = Array.from({ length: 4000 }, () => 10);
  const { counts } = dealt(crowd.map((events, user) => (user % 400 === 0 ? 300_000 : events)));
  assert.deepEqual(counts, dealt(crowd).counts);
});

test('companies with thousands of order lines all take part', () => {
  const { counts } = dealt(Array.from({ length: 400 }, () => 5000));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    400,
  );
});
