// `kindred events move-shards` with two real servers while a service writes and reads: nothing is lost, order is kept, every call
// succeeds, and a command that is killed is simply run again. Afterwards either server, or the service, ends without a word.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { EventRecord } from '../../src/domain/record.ts';
import { type AnotherPostgres, anotherPostgres } from '../support/postgres.ts';
import { newDataDir, type ServiceProcess, startServiceProcess } from '../support/service.ts';
import { makeEvent } from '../support/store-fixtures.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const SHARDS = 8;
const PLANTED = 30_000;
const LANES = 4;

/** What one client was told; it has users of its own, so that it knows exactly what it must read. */
class Ledger {
  readonly events = new Map<string, EventRecord>();
  /** Of calls that failed: they may have been done or not. */
  readonly unknown = new Set<string>();

  put(events: readonly EventRecord[]): void {
    for (const event of events) {
      // In the order of writing, which decides among equal times.
      this.events.delete(event.event_id);
      this.events.set(event.event_id, event);
    }
  }

  ofUser(userId: string): EventRecord[] {
    const own = [...this.events.values()].filter(({ user_id }) => user_id === userId).reverse();
    return own.sort((a, b) => b.ts - a.ts);
  }
}

describe('moving shards to another server', () => {
  let main: AnotherPostgres;
  let other: AnotherPostgres;
  let service: ServiceProcess;
  let env: Record<string, string>;
  let event_dataset_id: string;
  const planted = new Ledger();
  const ledgers = Array.from({ length: LANES }, () => new Ledger());

  before(async () => {
    [main, other] = await Promise.all([anotherPostgres(), anotherPostgres()]);
    env = { KINDRED_DATABASE_URL: main.url, KINDRED_DATA_DIR: await newDataDir(), KINDRED_LOG_LEVEL: 'fatal' };
    service = await startServiceProcess(env);
    ({ event_dataset_id } = await service.ok('POST', '/create-event-dataset', { name: 'clicks', num_shards: SHARDS }));
    for (let from = 0; from < PLANTED; from += 1000) {
      const events = Array.from({ length: 1000 }, (_, i) => {
        const n = from + i;
        return makeEvent({ event_id: `planted-${n}`, user_id: `u-${n % 997}`, item_id: `i-${n % 50}`, ts: n % 40 });
      });
      await service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
      planted.put(events);
    }
  });
  after(() => service?.stop());

  const upsert = (events: EventRecord[]) => service.ok('POST', '/upsert-dataset-events', { event_dataset_id, events });
  const remove = (event_ids: string[]) =>
    service.ok('DELETE', '/delete-dataset-events', { event_dataset_id, event_ids });
  const read = async (user_id: string): Promise<EventRecord[]> =>
    (await service.ok('GET', '/list-dataset-records', { event_dataset_id, user_id, page_size: '1000' })).records;
  const ids = (events: readonly { event_id: string }[]): string[] => events.map(({ event_id }) => event_id);

  /** Writes, replaces under another user, deletes, and reads after each call what it must. Fails on the first call that fails. */
  async function clientLane(lane: number, run: string, isStopped: () => boolean): Promise<number> {
    const ledger = ledgers[lane];
    let calls = 0;
    for (let round = 0; !isStopped(); round++) {
      const user = (n: number): string => `lane-${lane}-${n % 23}`;
      const written = Array.from({ length: 10 }, (_, i) =>
        makeEvent({ event_id: `${run}-${lane}-${round}-${i}`, user_id: user(round), item_id: `i-${i}`, ts: i % 3 }),
      );
      await upsert(written);
      ledger.put(written);
      // Of the round before: one gets another user, one goes.
      const [moved, gone] = [`${run}-${lane}-${round - 1}-0`, `${run}-${lane}-${round - 1}-1`];
      if (round > 0) {
        const changed = { ...ledger.events.get(moved)!, user_id: user(round + 7), event_value: 7 };
        await upsert([changed]);
        ledger.put([changed]);
        await remove([gone]);
        ledger.events.delete(gone);
      }
      for (const user_id of [user(round), user(round + 7)]) {
        assert.deepEqual(ids(await read(user_id)), ids(ledger.ofUser(user_id)));
      }
      calls += 5;
    }
    return calls;
  }

  function command(args: string[]): { child: ChildProcess; ended: Promise<number | null>; said: () => string } {
    const child = spawn(process.execPath, [MAIN, 'events', ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (text += chunk));
    return { child, ended: once(child, 'close').then(([code]) => code), said: () => text };
  }

  const query = async <T extends object>(url: string, sql: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return (await client.query<T>(sql).finally(() => client.end())).rows;
  };

  /** Every event of every ledger is stored as it was last acknowledged, in its order, and nothing else. */
  async function assertAllThere(): Promise<void> {
    const rows = await query<{ event_id: string; ts: number; value: number; user_id: string }>(
      main.url,
      `SELECT event_id, ts::float, value, u.id AS user_id FROM event e
       JOIN interned u ON u.dataset_no = e.dataset_no AND u.kind = 0 AND u.no = e.place % 4294967296
       ORDER BY u.id, ts DESC, seq DESC`,
    );
    const unknown = new Set(ledgers.flatMap((ledger) => [...ledger.unknown]));
    const plain = (events: Iterable<EventRecord>): string[] =>
      Array.from(events, (one) => [one.event_id, one.user_id, one.ts, one.event_value].join(' '));
    const known = rows.filter(({ event_id }) => !unknown.has(event_id));
    const all = [planted, ...ledgers].flatMap((ledger) => [...ledger.events.values()]);
    const expected = all.filter(({ event_id }) => !unknown.has(event_id));
    const stored = known.map(({ value, ...row }) => ({ ...row, event_value: value }) as EventRecord);
    assert.deepEqual(plain(stored).sort(), plain(expected).sort());
    for (const [n, ledger] of ledgers.entries()) {
      const isOwn = ({ user_id }: { user_id: string }): boolean => user_id.startsWith(`lane-${n}-`);
      const users = new Set([...ledger.events.values()].map(({ user_id }) => user_id));
      for (const user of users) {
        const inOrder = ids(stored.filter((event) => isOwn(event) && event.user_id === user));
        assert.deepEqual(inOrder, ids(ledger.ofUser(user).filter(({ event_id }) => !unknown.has(event_id))));
      }
    }
    const { num_records } = await service.ok('GET', '/get-event-dataset', { event_dataset_id });
    assert.equal(num_records, rows.length);
  }

  test('under writes and reads, with a command that is killed again and again, no call fails and no event is lost', async () => {
    let isDone = false;
    const lanes = ledgers.map((_, lane) => clientLane(lane, 'moving', () => isDone));
    // A lane that fails ends the test where it is awaited.
    for (const lane of lanes) lane.catch(() => {});
    const args = ['move-shards', `${SHARDS / 2}-`, '--to', other.url];
    // As soon as it copies, a moment later, and when it brings what changed meanwhile.
    for (const [word, afterMs] of [
      ['Copying', 0],
      ['Copying', 150],
      ['Bringing', 0],
    ] as const) {
      const { child, ended, said } = command(args);
      while (!said().includes(word) && child.exitCode === null) await delay(5);
      await delay(afterMs);
      child.kill('SIGKILL');
      assert.ok((await ended) !== 1, said());
    }
    const last = command(args);
    assert.equal(await last.ended, 0, last.said());
    await delay(500);
    isDone = true;
    const calls = (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0);
    assert.ok(calls > 50, `${calls} calls`);

    const listed = command(['shards', '--json']);
    assert.equal(await listed.ended, 0, listed.said());
    const { partitions } = JSON.parse(listed.said());
    assert.deepEqual(
      partitions.map((one: { from_shard: number; server: string | null }) => [one.from_shard, one.server !== null]),
      [
        [0, false],
        [SHARDS / 2, true],
      ],
    );
    await assertAllThere();
    const [{ there }] = await query<{ there: number }>(
      other.url,
      `SELECT count(*)::int AS there FROM ${partitions[1].table}`,
    );
    assert.ok(there > PLANTED / 4, `${there} events are on the other server`);
    const tables = await query<{ name: string }>(
      main.url,
      "SELECT tablename AS name FROM pg_tables WHERE tablename ~ '^event_(p|move)'",
    );
    assert.deepEqual(
      tables,
      [{ name: partitions[0].table }],
      'nothing is left of the partition that was cut, nor of the move',
    );
  });

  test('acknowledged events survive the end of either server and of the service', async () => {
    let isDone = false;
    /** As clientLane, for calls that may fail: then it is not known what they did. */
    const lane = async (n: number): Promise<void> => {
      const ledger = ledgers[n];
      for (let round = 0; !isDone; round++) {
        const written = Array.from({ length: 5 }, (_, i) =>
          makeEvent({ event_id: `crash-${n}-${round}-${i}`, user_id: `lane-${n}-${(round + i) % 23}`, ts: round }),
        );
        const gone = ids(written).slice(0, 1);
        try {
          await upsert(written);
          ledger.put(written);
        } catch {
          for (const id of ids(written)) ledger.unknown.add(id);
          await delay(50);
          continue;
        }
        try {
          await remove(gone);
          ledger.events.delete(gone[0]);
        } catch {
          ledger.unknown.add(gone[0]);
        }
      }
    };
    const lanes = ledgers.map((_, n) => lane(n));
    for (const server of [other, main]) {
      await delay(700);
      await server.crash();
      await delay(300);
      await server.restart();
    }
    await delay(1500);
    await service.kill();
    isDone = true;
    await Promise.all(lanes);
    service = await startServiceProcess(env);
    // The next write brings what the one that was cut short left.
    await upsert([planted.events.get('planted-0')!]);
    assert.deepEqual(await query(main.url, 'SELECT event_id FROM event_outbox'), []);
    await assertAllThere();
  });
});
