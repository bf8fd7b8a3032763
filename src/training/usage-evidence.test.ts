import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityRecord } from '../domain/record.ts';
import { UsageEvidence } from './usage-evidence.ts';

const ITEMS = 10;
const itemIds = {
  length: ITEMS,
  at: (index: number) => `i${index}`,
  indexOf: (id: string) => Number(id.slice(1)),
};

/** The first items have a record. Each item is as likely as any other, and each came once. */
async function evidenceOf(records: number) {
  async function* blocks() {
    yield Array.from({ length: records }, (_, n): EntityRecord => ({ id: `i${n}`, attributes: { kind: 'film' } }));
  }
  const evidence = await UsageEvidence.begin(blocks, itemIds, new Uint32Array(ITEMS).fill(50), 1);
  const all = Array.from({ length: ITEMS }, () => 1);
  evidence!.add(all, [...all.keys()]);
  const [{ said, seen, population }] = evidence!.finish(all);
  return [said[0], seen[0], population].map((share) => Math.round(share * 100) / 100);
}

test('shares are of the items that may be recommended: those with a record, and all if fewer than half have one', async () => {
  assert.deepEqual(await evidenceOf(4), [0.4, 0.4, 0.4]);
  assert.deepEqual(await evidenceOf(5), [1, 1, 1]);
});
