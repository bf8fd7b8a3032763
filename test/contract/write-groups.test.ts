// How many writes share a transaction: those of all accounts wait for it, so that it is bounded by the rows it changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_ENTITY_BYTES } from '../../src/domain/record-batch.ts';
import { MAX_PATCHED_BYTES } from '../../src/domain/record-patch.ts';
import { MERGE_CHUNK } from '../../src/store/merge-users.ts';
import { MAX_GROUP_RECORDS } from '../../src/store/write-limits.ts';
import { makeAccount, makeDataset } from '../support/store-fixtures.ts';
import { DIALECTS, openTestStore } from '../support/test-database.ts';
import { traceWrites } from '../support/write-trace.ts';

/** The most writes that ran in one transaction. */
async function largestGroup(writes: readonly (() => Promise<unknown>)[]): Promise<number> {
  const groups = (await traceWrites(writes)).map(([{ startedMs }]) => startedMs);
  return Math.max(
    ...Map.groupBy(groups, (startedMs) => startedMs)
      .values()
      .map(({ length }) => length),
  );
}

for (const dialect of DIALECTS) {
  describe(`groups of writes on ${dialect}`, () => {
    test('merges, patches and impressions sent together are several transactions, by what they may read and change', async () => {
      const { store, close } = await openTestStore(dialect);
      try {
        const account = await makeAccount(store);
        const users = await makeDataset(store, account, 'user');
        const events = await makeDataset(store, account, 'event');
        const merges = Array.from(
          { length: 20 },
          (_, n) => () => store.mergeUsers({ users, events }, { from: `visitor-${n}`, into: 'user' }),
        );
        assert.ok((await largestGroup(merges)) <= MAX_GROUP_RECORDS / MERGE_CHUNK);
        const patch = () => store.users.patch(users, [{ id: 'user', attributes: { country: 'NL' } }]);
        const patches = await largestGroup(Array.from({ length: 200 }, () => patch));
        assert.ok(patches > 1 && patches <= MAX_PATCHED_BYTES / MAX_ENTITY_BYTES, `${patches} patches in one group`);
        const shown = (n: number) => ({ recommendationId: '', itemIds: ['i'], ts: 1, userId: `user-${n}` });
        const impressions = Array.from(
          { length: 150 },
          (_, n) => () => store.outcomes.addImpressions(events, [shown(n)]),
        );
        const together = await largestGroup(impressions);
        assert.ok(together > 1 && together <= 100, `${together} impressions in one group`);
      } finally {
        await close();
      }
    });
  });
}
