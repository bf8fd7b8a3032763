// Moves a range of shards to another server, or into a partition of its own, while the service runs.
//
// The partition that holds them is copied into new pieces (copy-pieces.ts), then replaced by them in one transaction that holds
// writers off for a moment. It waits for its locks for a fraction of a second only and tries again, so that nobody waits long
// behind it. DETACH … CONCURRENTLY would need no lock, but would leave the shards without a partition until the next one is
// attached: their events would be missing and writes refused.
//
// A partition is cut by copying all of it, as PostgreSQL cannot narrow one without reading it under a lock.
import type pg from 'pg';
import type { Runtime } from '../../../base/runtime.ts';
import { type EventPartition, readPartitions, STOP_WRITERS_SQL } from '../event-partitions.ts';
import { hasOlderProcesses } from '../older-processes.ts';
import type { PostgresDatabase } from '../postgres-database.ts';
import { copiedUpTo, copyChunk, replay } from './copy-pieces.ts';
import { knownServer, serverFor } from './event-servers.ts';
import { attachSql, type Piece } from './event-table.ts';
import { inTransaction } from './in-transaction.ts';
import { MoveRefused } from './move-refused.ts';
import { forgetMove, type Move, readMove, writeMove } from './move-state.ts';
import { createTable, dropTable, hasTable, serverOf } from './piece-tables.ts';
import { onServer } from './remote-connection.ts';

export interface ShardsToMove {
  fromShard: number;
  /** Exclusive; null: up to the last shard. */
  toShard: number | null;
  /** Address of the other server; null: this one. */
  url: string | null;
}

const LOCK_TIMEOUT_MS = 200;
const LOCK_PAUSE_MS = 1000;
/** Most logged changes that may remain when writers start to wait. */
const SHORT_LOG = 1000;
const LOCK_NOT_AVAILABLE = '55P03';
/** Key of an advisory lock, "moves" in ASCII. Any constant would do. */
const MOVE_LOCK = 0x6d6f766573;
/** How long to wait for the lock: the server notices that a command was killed only when its statement ends. */
const MOVE_LOCK_PATIENCE_MS = 60_000;

/** Receives the progress of a move, and supplies its clock. */
interface MoveWatch {
  say(text: string): void;
  runtime: Runtime;
}

/** Moves the shards; continues a move of the same shards that was cut short. */
export function moveShards(
  database: PostgresDatabase,
  wanted: ShardsToMove,
  say: (text: string) => void,
): Promise<void> {
  const watch = { say, runtime: database.runtime };
  return exclusively(database, async (client) => {
    await finishCancel(client, watch);
    const move = (await unfinished(client, wanted, say)) ?? (await begin(client, wanted, watch));
    if (move === null) {
      say('These shards are a partition of that server already.');
      return;
    }
    if (move.phase === 'copy') await copy(client, move, say);
    if (move.phase === 'replay') await switchOver(client, move, watch);
    await removeSource(client, move, say);
  });
}

/** Cancels a move that has not switched yet. Returns whether there was one. */
export function cancelMove(database: PostgresDatabase, say: (text: string) => void): Promise<boolean> {
  return exclusively(database, async (client) => {
    const move = await readMove(client);
    if (move === null) return false;
    if (move.phase === 'switched') {
      throw new MoveRefused('The shards have moved already. Run kindred events move-shards again to clean up.');
    }
    // The phase changes before the pieces are dropped: nothing may continue a move whose pieces are gone.
    await setPhase(client, move, 'cancelled');
    await finishCancel(client, { say, runtime: database.runtime });
    return true;
  });
}

/** Removes the remains of a canceled move. */
async function finishCancel(client: pg.PoolClient, watch: MoveWatch): Promise<void> {
  const move = await readMove(client);
  if (move?.phase !== 'cancelled') return;
  for (const piece of move.pieces) await dropTable(client, piece, watch.say);
  await underLock(client, waitingFor(watch), () => inTransaction(client, () => forgetMove(client)));
}

async function unfinished(
  client: pg.PoolClient,
  { fromShard, toShard, url }: ShardsToMove,
  say: (text: string) => void,
): Promise<Move | null> {
  const move = await readMove(client);
  if (move === null) return null;
  const isToServer = url === null ? move.server === null : move.server === ((await knownServer(client, url)) ?? '');
  if (move.from_shard === fromShard && move.to_shard === toShard && isToServer) {
    if (url !== null) await serverFor(client, url, say);
    return move;
  }
  throw new MoveRefused(
    `A move of shards ${rangeText(move.from_shard, move.to_shard)} is unfinished. Run it again with the same shards and server, or give it up with --cancel.`,
  );
}

async function begin(
  client: pg.PoolClient,
  { fromShard, toShard, url }: ShardsToMove,
  watch: MoveWatch,
): Promise<Move | null> {
  const partitions = await readPartitions(client);
  if (partitions.length === 0) {
    throw new MoveRefused('The tables are of an earlier version. Start this version once, or run kindred migrate.');
  }
  if (await hasOlderProcesses(client)) {
    throw new MoveRefused('Processes of an older version use the database. Move shards when all have been upgraded.');
  }
  const source = partitions.find(
    (partition) => fromShard >= partition.fromShard && (toShard ?? Number.POSITIVE_INFINITY) <= partition.toShard,
  );
  if (source === undefined) {
    const all = partitions.map((one) => rangeText(one.fromShard, endOf(one))).join(', ');
    throw new MoveRefused(
      `Shards ${rangeText(fromShard, toShard)} are in several partitions (${all}). Move them one partition at a time.`,
    );
  }
  const server = url === null ? null : await serverFor(client, url, watch.say);
  const sourceServer = source.isRemote ? await serverOf(client, source.table) : null;
  const isWhole = fromShard === source.fromShard && toShard === endOf(source);
  if (isWhole && server === sourceServer) return null;
  let next = 1 + Math.max(...partitions.map(({ table }) => Number(table.slice('event_p'.length))));
  const piece = (from: number, to: number | null, on: string | null): Piece[] =>
    from === to ? [] : [{ table: `event_p${next++}`, fromShard: from, toShard: to, server: on }];
  const pieces = [
    ...piece(source.fromShard, fromShard, sourceServer),
    ...piece(fromShard, toShard, server),
    ...(toShard === null ? [] : piece(toShard, endOf(source), sourceServer)),
  ];
  for (const { table, server: on } of pieces) {
    if (on !== null && (await onServer(client, on, (remote) => hasTable(remote, table)))) {
      throw new MoveRefused(
        `The other database has a table ${table} already. If a move left it there, drop it. Otherwise use an empty database.`,
      );
    }
  }
  const move: Move = {
    source: source.table,
    source_server: sourceServer,
    pieces,
    from_shard: fromShard,
    to_shard: toShard,
    server,
    phase: 'copy',
    copied_dataset: 0,
    copied_place: -1,
  };
  await underLock(client, waitingFor(watch), () => inTransaction(client, () => writeMove(client, move)));
  return move;
}

async function copy(client: pg.PoolClient, move: Move, say: (text: string) => void): Promise<void> {
  for (const piece of move.pieces) await createTable(client, piece, () => copiedUpTo(client, move, 0, -1));
  say(`Copying ${move.source} into ${move.pieces.map(({ table }) => table).join(', ')}.`);
  while (await inTransaction(client, () => copyChunk(client, move))) {
    // One transaction per chunk, so that nothing is locked for long.
  }
  // Also on the other server, whose planner has no statistics for a new table.
  for (const { table, server } of move.pieces) {
    await client.query(`ANALYZE ${table}`);
    if (server !== null) await onServer(client, server, (remote) => remote.query(`ANALYZE ${table}`));
  }
  await setPhase(client, move, 'replay');
}

async function switchOver(client: pg.PoolClient, move: Move, watch: MoveWatch): Promise<void> {
  watch.say('Bringing what changed meanwhile.');
  const catchUp = async (): Promise<void> => {
    while ((await inTransaction(client, () => replay(client, move))) > SHORT_LOG) {
      // Repeat until few enough changes are left for writers to wait.
    }
  };
  await catchUp();
  const wait = waitingFor(watch);
  const waiting = async (): Promise<void> => {
    await wait();
    await catchUp();
  };
  await underLock(client, waiting, () => inTransaction(client, () => replacePartition(client, move)));
  move.phase = 'switched';
}

async function replacePartition(client: pg.PoolClient, move: Move): Promise<void> {
  // Blocks writers but not readers. Only ALTER TABLE blocks readers, for some milliseconds.
  await client.query(STOP_WRITERS_SQL);
  while ((await replay(client, move)) > 0) {
    // Replay everything: from here on the pieces hold the events.
  }
  await client.query(`ALTER TABLE event DETACH PARTITION ${move.source}`);
  for (const piece of move.pieces) {
    await client.query(attachSql(piece));
    if (piece.server === null) await client.query(`ALTER TABLE ${piece.table} DROP CONSTRAINT ${piece.table}_shards`);
  }
  await setPhase(client, move, 'switched');
}

async function removeSource(client: pg.PoolClient, move: Move, say: (text: string) => void): Promise<void> {
  await dropTable(client, { table: move.source, server: move.source_server }, say);
  await inTransaction(client, () => forgetMove(client));
}

async function setPhase(client: pg.PoolClient, move: Move, phase: Move['phase']): Promise<void> {
  await client.query('UPDATE event_move SET phase = $1', [phase]);
  move.phase = phase;
}

const waitingFor =
  ({ say, runtime }: MoveWatch) =>
  async (): Promise<void> => {
    await runtime.sleep(LOCK_PAUSE_MS);
    say('Waiting for a long read of events to end.');
  };

/** Retries the work until it gets the locks that it needs on the event table. */
async function underLock(
  client: pg.PoolClient,
  waiting: () => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  for (;;) {
    try {
      await work();
      return void (await client.query('RESET lock_timeout'));
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    }
    await waiting();
  }
}

/** Allows one move at a time, whoever runs the command. */
function exclusively<T>(database: PostgresDatabase, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const done = database.connection(async (client) => {
    await client.query(`SET statement_timeout = 0; SET lock_timeout = ${MOVE_LOCK_PATIENCE_MS}`);
    await client.query('SELECT pg_advisory_lock($1)', [MOVE_LOCK]).catch((error: { code?: string }) => {
      if (error.code === LOCK_NOT_AVAILABLE) throw new MoveRefused('Another command is moving shards at the moment.');
      throw error;
    });
    await client.query('RESET lock_timeout');
    const result = await work(client);
    await client.query(`SELECT pg_advisory_unlock(${MOVE_LOCK}); RESET statement_timeout`);
    return result;
  });
  return done.catch((error: Error) => {
    // If another server closed a connection, the error is not about the store's own database, whatever its text looks like.
    throw error.cause instanceof MoveRefused ? error.cause : error;
  });
}

const endOf = ({ toShard }: EventPartition): number | null => (Number.isFinite(toShard) ? toShard : null);

/** The range for people to read, with the last shard included. */
function rangeText(fromShard: number, toShard: number | null): string {
  return toShard === null ? `${fromShard} and up` : `${fromShard} to ${toShard - 1}`;
}
