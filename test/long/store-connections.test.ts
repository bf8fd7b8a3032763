// How many connections to PostgreSQL a thread opens, and that reads next to open scans do not wait for each other forever.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LIST_THREAD_CONNECTIONS } from '../../src/jobs/connections.ts';
import { ListThreads } from '../../src/jobs/recommendation/list-threads.ts';
import type { UserBatch } from '../../src/jobs/recommendation/user-batch.ts';
import { openStore } from '../../src/store/open-store.ts';
import { plantedProject } from '../support/planted-project.ts';
import { newTestPlace } from '../support/test-database.ts';

const GROUPS = 3;
const USERS = 900;
const EVENTS_PER_USER = 4;
const userIdOf = (user: number): string => `u-${user % GROUPS}-${user}`;

let planted: Awaited<ReturnType<typeof plantedProject>>;
let config: { dataDir: string; databaseUrl: string | null };
before(async () => {
  const place = await newTestPlace('postgres');
  config = { dataDir: place.dataDir, databaseUrl: place.databaseUrl };
  planted = await plantedProject(
    {
      groups: GROUPS,
      usersPerGroup: USERS / GROUPS,
      itemsPerGroup: 20,
      eventsPerUser: EVENTS_PER_USER,
      loyalty: 0.9,
    },
    place,
  );
});
after(() => planted.close());

/** Those of all stores. Idle ones stay for a minute, so that this is how many there were at once. */
async function connections(): Promise<number> {
  const [{ count }] = await planted.store.database.all<{ count: number }>(
    "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
  );
  return Number(count);
}

test('threads that make lists open few connections each, however many users a batch has', async () => {
  const data = {
    model_id: planted.modelId,
    ranker_model_id: null,
    users: { all: true as const },
    limit: 5,
    objective: 'auto' as const,
    filter_query: null,
    filter_params: {},
    exclude_event_types: [],
    attributes: [],
    format: 'jsonl' as const,
    placement: null,
    model_given: true,
    destination: null,
  };
  const order = { project: planted.project, data, placement: null, attributes: [], types: {}, nowMs: 0 };
  const userIds = Array.from({ length: USERS }, (_, user) => userIdOf(user));
  async function* batches(): AsyncGenerator<UserBatch> {
    for (let n = 0; n < 8; n++) yield { userIds, events: null };
  }
  const held = await connections();
  const threads = await ListThreads.open({ config, ...order }, 3);
  try {
    const made = await Array.fromAsync(threads.make(batches()));
    assert.deepEqual(
      made.map(({ users }) => users),
      Array(8).fill(USERS),
    );
    const opened = (await connections()) - held;
    assert.ok(opened <= 3 * LIST_THREAD_CONNECTIONS, `${opened} connections`);
  } finally {
    await threads.close();
  }
});

for (const most of [2, 6]) {
  test(`a store with ${most} connections reads next to as many scans as it allows at once`, async () => {
    const { event_dataset_id: events, user_dataset_id: users } = planted.project;
    const held = await connections();
    const store = await openStore({ ...config, connections: most });
    try {
      const scans = Array.from({ length: store.events.scansAtOnce }, () =>
        store.events.scan(events, { from: 0, to: 10 }, 100)[Symbol.asyncIterator](),
      );
      // Each holds its connection until it is read to the end.
      for (const scan of scans) assert.equal((await scan.next()).value.length, 100);
      const histories = await Promise.all(
        Array.from({ length: 100 }, (_, user) => store.events.history(events, userIdOf(user), 9)),
      );
      assert.ok(histories.every(({ length }) => length === EVENTS_PER_USER));
      assert.equal((await store.users.getMany(users, ['new-1']))[0]?.id, 'new-1');
      for (const scan of scans) {
        let rest = 0;
        for (let next = await scan.next(); !next.done; next = await scan.next()) rest += next.value.length;
        assert.equal(rest, USERS * EVENTS_PER_USER - 100);
      }
      const opened = (await connections()) - held;
      assert.ok(opened <= most, `${opened} connections`);
    } finally {
      await store.close();
    }
  });
}
