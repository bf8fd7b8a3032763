import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { JobFailure } from '../domain/job.ts';
import { requireTargetEvents } from './require-target-events.ts';

/** Events of the types given by index; as in training, the target is the first type. */
function tableOf(typeNames: string[], types: number[], value = 1) {
  const builder = new EventTableBuilder();
  builder.beginUser();
  for (const [at, type] of types.entries()) builder.add(0, type, value, at);
  return builder.finish({ itemIds: ['i'], typeNames, targetType: 0 });
}

function refusal(table: ReturnType<typeof tableOf>): string {
  try {
    requireTargetEvents(table);
  } catch (error) {
    assert.ok(error instanceof JobFailure);
    assert.equal(error.code, 'NO_TARGET_EVENTS');
    return error.message;
  }
  assert.fail('not refused');
}

test('a missing target type is named as missing, and only what is there as found', () => {
  const message = refusal(tableOf(['purchase', 'view', 'cart', 'never'], [1, 1, 2]));
  assert.match(message, /target type "purchase"/);
  assert.match(message, /Found: view \(2\), cart \(1\)\./);
});

test('a type that differs by a letter is suggested', () => {
  assert.match(refusal(tableOf(['purchase', 'purchases'], [1])), /Did you mean "purchases"\?/);
});

test('a dataset without a usable event says so', () => {
  assert.match(refusal(tableOf(['purchase', 'view'], [])), /no event with a positive event_value/);
  assert.match(refusal(tableOf(['purchase'], [0, 0], -1)), /no event with a positive event_value/);
});

test('one event of the target type is enough', () => {
  requireTargetEvents(tableOf(['purchase', 'view'], [1, 0]));
});
