import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextWarnings, pinWarning, replacedRelation, unknownItem, unrankedItem } from './call-warnings.ts';
import type { ServableModel } from './model-cache.ts';

test('a pin that was skipped says why', () => {
  const messageOf = (reason: 'unknown' | 'filtered' | 'excluded') => {
    const { code, message } = pinWarning({ item_id: 'i1', reason } as Parameters<typeof pinWarning>[0]);
    assert.equal(code, 'PIN_SKIPPED');
    return message;
  };
  assert.equal(messageOf('unknown'), 'The pin of item i1 was skipped: there is no such item.');
  assert.equal(messageOf('filtered'), 'The pin of item i1 was skipped: it does not meet the filter.');
  assert.equal(messageOf('excluded'), 'The pin of item i1 was skipped: the call or the user leaves it out.');
});

test('a relation that was replaced names the one that is shown and what the events lack', () => {
  const { code, message } = replacedRelation('together', 'similar');
  assert.equal(code, 'RELATION_REPLACED');
  assert.match(message, /^The list shows similar items: .* goes together in a visit\.$/);
  assert.match(replacedRelation('next', 'similar').message, /comes next\.$/);
  assert.match(replacedRelation('similar', 'next').message, /^The list shows next items: .* is similar\.$/);
});

test('a long id is cut in a warning', () => {
  const long = 'x'.repeat(300);
  const warnings = [
    unknownItem(long),
    unrankedItem(long),
    pinWarning({ item_id: long, reason: 'unknown' } as Parameters<typeof pinWarning>[0]),
  ];
  for (const { message } of warnings) {
    assert.ok(message.includes(` ${'x'.repeat(64)} `), message);
    assert.ok(!message.includes('x'.repeat(65)), message);
  }
});

test('a context that neither the model nor a filter knows is warned of', () => {
  const model = { recommender: { unknownContext: (context: object) => Object.keys(context) } };
  const warnings = contextWarnings(model as unknown as ServableModel, { shop: 1, wrong: 'x' }, new Set(['shop']));
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['UNKNOWN_CONTEXT'],
  );
  assert.match(warnings[0].message, /context\.wrong/);
});
