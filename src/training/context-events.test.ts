import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeBlock, AttributeSearch, EventStore } from '../store/event-store.ts';
import { contextBlocks, contextSample } from './context-events.ts';

const project = { event_dataset_id: 'e', target_event_type: 'buy' };
const BLOCK = 1000;
const BUY = 1;

/** A log with purchases that have a text as attributes, below newer events that have none. */
function logOf({
  bare,
  purchases,
  text,
  value = 1,
}: {
  bare: number;
  purchases: number;
  text: string;
  value?: number;
}) {
  async function* attributeBlocks(_: string, { type, newest }: AttributeSearch): AsyncGenerator<AttributeBlock> {
    assert.equal(type, BUY);
    const [user, item] = [new Uint32Array(BLOCK), new Uint32Array(BLOCK)];
    const columns = { user, item, value: new Float64Array(BLOCK).fill(value), attributes: Array(BLOCK).fill(text) };
    for (let at = bare; at < Math.min(newest, bare + purchases); at += BLOCK) yield { length: BLOCK, ...columns };
  }
  async function* internedIds() {
    yield ['view'];
    yield ['buy'];
  }
  return { events: { attributeBlocks, internedIds } as unknown as EventStore, project };
}

async function lengthsOf(log: ReturnType<typeof logOf>) {
  const blocks = contextBlocks(log);
  const sample = await contextSample(blocks);
  let rest = 0;
  for await (const block of blocks) rest += block.length;
  return { sample: sample.length, rest };
}

const text = '{"device":"phone"}';

test('purchases with attributes are found below millions of newer events without', async () => {
  assert.deepEqual(await lengthsOf(logOf({ bare: 5_000_000, purchases: 80_000, text })), {
    sample: 50_000,
    rest: 30_000,
  });
});

test('the newest purchases are enough, and a sample of long attributes is short', async () => {
  assert.deepEqual(await lengthsOf(logOf({ bare: 0, purchases: 3_000_000, text })), {
    sample: 50_000,
    rest: 1_950_000,
  });
  const long = `{"page":"${'a'.repeat(19_990)}"}`;
  assert.deepEqual(await lengthsOf(logOf({ bare: 0, purchases: 10_000, text: long })), { sample: 2000, rest: 8000 });
});

test('dislikes are no context', async () => {
  assert.deepEqual(await lengthsOf(logOf({ bare: 0, purchases: 4000, text, value: -1 })), { sample: 0, rest: 0 });
});
