import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from './byte-budget.ts';

test('an account may use as much as it leaves free', () => {
  const budget = new ByteBudget(100);
  assert.equal(budget.take('a', 51), false);
  assert.equal(budget.heldBytes, 0, 'what is refused takes nothing');
  assert.equal(budget.take('a', 30), true);
  assert.equal(budget.hasRoom('a', 20), true);
  assert.equal(budget.hasRoom('a', 21), false);
  assert.equal(budget.take('a', 20), true);
  assert.equal(budget.heldBytes, 50);
  assert.equal(budget.hasRoom('a', 1), false);
});

test('others still find room, until they leave as little free', () => {
  const budget = new ByteBudget(100);
  budget.take('a', 50);
  assert.equal(budget.take('b', 26), false);
  assert.equal(budget.take('b', 25), true);
  assert.equal(budget.heldBytes, 75);
});

test('what is given back can be taken again', () => {
  const budget = new ByteBudget(100);
  budget.take('a', 30);
  budget.take('a', 20);
  budget.giveBack('a', 20);
  assert.equal(budget.heldBytes, 30);
  assert.equal(budget.hasRoom('a', 20), true);
  assert.equal(budget.hasRoom('a', 21), false);
  budget.giveBack('a', 30);
  assert.equal(budget.heldBytes, 0);
  assert.equal(budget.take('a', 50), true);
});
