import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBlock } from '../../store/event-store.ts';
import { BegunScan } from './begun-scan.ts';

const block = (length: number) => ({ length }) as EventBlock;

test('reading begins before the first block is taken, and ends when it is stopped', async () => {
  const seen: string[] = [];
  const scan = new BegunScan(
    (async function* () {
      try {
        for (let n = 1; ; n++) {
          seen.push(`read ${n}`);
          yield block(n);
        }
      } finally {
        seen.push('ended');
      }
    })(),
  );
  await nextTurn();
  assert.deepEqual(seen, ['read 1']);
  const lengths: number[] = [];
  for await (const { length } of scan) {
    lengths.push(length);
    if (length === 3) break;
  }
  await scan.stop();
  assert.deepEqual(lengths, [1, 2, 3]);
  assert.deepEqual(seen, ['read 1', 'read 2', 'read 3', 'ended']);
});

test('what fails before anybody takes a block reaches the one who does', async () => {
  const scan = new BegunScan(
    // biome-ignore lint/correctness/useYield: it fails first
    (async function* (): AsyncGenerator<EventBlock> {
      throw new Error('the disk is gone');
    })(),
  );
  await nextTurn();
  await assert.rejects(async () => {
    for await (const _ of scan);
  }, /the disk is gone/);
  await scan.stop();
});
