import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventFacts } from '../dataset/event-facts.ts';
import { EventTableBuilder } from '../dataset/event-table.ts';
import { heldEvents } from '../dataset/training-events.ts';
import { JobFailure } from '../domain/job.ts';
import { requireTargetEvents } from './require-target-events.ts';

/** Events of the types given by index; as in training, the target is the first type. */
function tableOf(typeNames: string[], types: number[], value = 1) {
  const builder = new EventTableBuilder();
  builder.beginUser();
  for (const [at, type] of types.entries()) builder.add(0, type, value, at);
  return builder.finish({ itemIds: ['i'], typeNames, targetType: 0 });
}

async function requireTarget(table: ReturnType<typeof tableOf>): Promise<void> {
  requireTargetEvents(table, (await eventFacts(heldEvents(table))).typeCounts);
}

async function refusal(table: ReturnType<typeof tableOf>): Promise<string> {
  try {
    await requireTarget(table);
  } catch (error) {
    assert.ok(error instanceof JobFailure);
    assert.equal(error.code, 'NO_TARGET_EVENTS');
    return error.message;
  }
  assert.fail('not refused');
}

test('a missing target type is named as missing, and only what is there as found', async () => {
  const message = await refusal(tableOf(['purchase', 'view', 'cart', 'never'], [1, 1, 2]));
  assert.match(message, /target type "purchase"/);
  assert.match(message, /Found: view \(2\), cart \(1\)\./);
});

test('a type that differs by a letter is suggested', async () => {
  assert.match(await refusal(tableOf(['purchase', 'purchases'], [1])), /Did you mean "purchases"\?/);
});

test('a dataset without a usable event says so', async () => {
  assert.match(await refusal(tableOf(['purchase', 'view'], [])), /no event with a positive event_value/);
  assert.match(await refusal(tableOf(['purchase'], [0, 0], -1)), /no event with a positive event_value/);
});

test('one event of the target type is enough', async () => {
  await requireTarget(tableOf(['purchase', 'view'], [1, 0]));
});
