import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question } from '../dataset/questions.ts';
import { judgingRounds } from './judging-rounds.ts';

const asked = (from: number, to: number): Question[] =>
  Array.from({ length: 2 * (to - from) }, (_, n) => ({ user: from + (n >> 1), end: 1, targets: [n] }));
const users = (questions: readonly Question[]) => new Set(questions.map(({ user }) => user));

test('each of few questions judges once what other users have taught', () => {
  const [fit, choose] = [asked(0, 200), asked(200, 300)];
  const rounds = judgingRounds(fit, choose);
  const judged = rounds.flatMap((round) => round.judged);
  assert.equal(judged.length, fit.length + choose.length);
  assert.equal(new Set(judged).size, judged.length);
  for (const { taught, judged } of rounds) {
    assert.equal(users(taught).intersection(users(judged)).size, 0);
    assert.equal(taught.length + judged.length, fit.length + choose.length);
    assert.ok(taught.length > fit.length * 0.8, `only ${taught.length} teach`);
  }
});

test('many questions are judged by those that are there to choose', () => {
  const [fit, choose] = [asked(0, 1000), asked(1000, 1500)];
  assert.deepEqual(judgingRounds(fit, choose), [{ taught: fit, judged: choose }]);
});
