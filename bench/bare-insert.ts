// The bases of bench:ingest: the same events into the same tables with nothing around it. SQLite: prepared statements in
// transactions of 10,000 events, with Kindred's settings for durability. PostgreSQL: binary COPY in transactions of 10,000.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { eventColumns } from '../src/domain/record-columns.ts';
import { INTERNED_KIND_NO, type InternedKind } from '../src/store/event-store.ts';
import { MIGRATIONS } from '../src/store/migrations/index.ts';
import { copyInSql, encodeEvents } from '../src/store/postgres/copy-events.ts';
import { openPostgres } from '../src/store/postgres/open-postgres.ts';
import { shardOf } from '../src/store/shard-of.ts';
import { openWriterConnection } from '../src/store/sqlite/connection.ts';
import { MOMENT_BYTES, momentOf } from '../src/store/sqlite/event-moment.ts';
import { PlaceEncoder } from '../src/store/sqlite/event-place.ts';
import { migrateSqlite } from '../src/store/sqlite/migrate.ts';
import { eventStream } from './event-stream.ts';

const TRANSACTION = 10_000;
const SHARDS = 100;

class Numbers {
  readonly #known = new Map<string, number>();
  readonly #added: (kind: InternedKind, id: string, no: number) => void;
  readonly #counts = { user: 0, item: 0, type: 0 };

  constructor(added: (kind: InternedKind, id: string, no: number) => void) {
    this.#added = added;
  }

  of(kind: InternedKind, id: string): number {
    const key = `${kind} ${id}`;
    let no = this.#known.get(key);
    if (no === undefined) {
      no = this.#counts[kind]++;
      this.#known.set(key, no);
      this.#added(kind, id, no);
    }
    return no;
  }
}

/** Events a second. */
export function bareSqliteInsert(total: number): number {
  const dir = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
  const file = join(dir, 'bare.sqlite');
  migrateSqlite(file, MIGRATIONS, Date.now());
  const db = openWriterConnection(file);
  const event = db.prepare('INSERT INTO event (seq, dataset_no, event_id, place, attributes) VALUES (?, ?, ?, ?, ?)');
  const eventPlace = db.prepare('INSERT INTO event_place (place) VALUES (?)');
  const eventTime = db.prepare('INSERT INTO event_time (moment) VALUES (?)');
  const interned = db.prepare('INSERT INTO interned (dataset_no, kind, id, no) VALUES (?, ?, ?, ?)');
  const numbers = new Numbers((kind, id, no) => interned.run(1, INTERNED_KIND_NO[kind], id, no));
  const place = new PlaceEncoder();
  const moment = new Uint8Array(MOMENT_BYTES);
  const make = eventStream(total);
  let spentMs = 0;
  for (let from = 0; from < total; from += TRANSACTION) {
    const events = Array.from({ length: Math.min(TRANSACTION, total - from) }, (_, i) => make(from + i));
    const started = performance.now();
    db.exec('BEGIN IMMEDIATE');
    events.forEach((record, i) => {
      const seq = from + i + 1;
      const user = numbers.of('user', record.user_id);
      place.owner(1, shardOf(record.user_id, SHARDS), user).time(record.ts, seq);
      place.payload(numbers.of('item', record.item_id), numbers.of('type', record.event_type), record.event_value);
      event.run(seq, 1, record.event_id, place.bytes, JSON.stringify(record.attributes));
      eventPlace.run(place.bytes);
      eventTime.run(momentOf(place.bytes, moment));
    });
    db.exec('COMMIT');
    spentMs += performance.now() - started;
  }
  db.close();
  rmSync(dir, { recursive: true });
  return (total / spentMs) * 1000;
}

/** Events a second. */
export async function barePostgresCopy(url: string, total: number): Promise<number> {
  await (await openPostgres(url)).close();
  const client = new pg.Client(url);
  await client.connect();
  const make = eventStream(total);
  let fresh: { kind: number; id: string; no: number }[] = [];
  const numbers = new Numbers((kind, id, no) => fresh.push({ kind: INTERNED_KIND_NO[kind], id, no }));
  let spentMs = 0;
  for (let from = 0; from < total; from += TRANSACTION) {
    const events = Array.from({ length: Math.min(TRANSACTION, total - from) }, (_, i) => make(from + i));
    const started = performance.now();
    const columns = eventColumns(events);
    const rows = events.map((record, row) => ({
      type_no: numbers.of('type', record.event_type),
      shard: shardOf(record.user_id, SHARDS),
      user_no: numbers.of('user', record.user_id),
      item_no: numbers.of('item', record.item_id),
      seq: from + row + 1,
      columns,
      row,
    }));
    await client.query('BEGIN');
    await client.query(
      'INSERT INTO interned (dataset_no, kind, id, no) SELECT 1, * FROM unnest($1::smallint[], $2::text[], $3::integer[])',
      [fresh.map(({ kind }) => kind), fresh.map(({ id }) => id), fresh.map(({ no }) => no)],
    );
    fresh = [];
    const copy = client.query(copyFrom(copyInSql('event')));
    await pipeline(encodeEvents(1, rows), copy);
    await client.query('COMMIT');
    spentMs += performance.now() - started;
  }
  const ended = once(client, 'end');
  await client.end();
  await ended;
  return (total / spentMs) * 1000;
}
