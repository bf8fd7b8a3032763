// The move that is under way: its plan, how far the copy is, and a log of events that changed since it began. These tables
// exist only during a move. They are the whole state: a command that is killed continues from them.
//
// The log is filled by a trigger on the partition that moves, in the transactions of the writers, so nothing is missing in it.
import type pg from 'pg';
import type { Piece } from './event-table.ts';

export interface Move {
  /** The partition that is replaced by the pieces. */
  source: string;
  /** The foreign server of the source; null if it is local. */
  source_server: string | null;
  pieces: Piece[];
  /** The requested range of shards and the target server; to_shard null: up to the last. */
  from_shard: number;
  to_shard: number | null;
  server: string | null;
  phase: 'copy' | 'replay' | 'switched' | 'cancelled';
  /** Rows up to this dataset and place are copied. */
  copied_dataset: number;
  copied_place: number;
}

export async function readMove(client: pg.ClientBase): Promise<Move | null> {
  const { rows: tables } = await client.query(
    "SELECT 1 FROM pg_tables WHERE tablename = 'event_move' AND schemaname = current_schema()",
  );
  if (tables.length === 0) return null;
  return (await client.query<Move>('SELECT * FROM event_move')).rows[0] ?? null;
}

/** Runs in the caller's transaction, like forgetMove. */
export async function writeMove(client: pg.ClientBase, move: Move): Promise<void> {
  await client.query(`
    CREATE TABLE event_move (source TEXT NOT NULL, source_server TEXT, pieces JSON NOT NULL,
      from_shard BIGINT NOT NULL, to_shard BIGINT, server TEXT, phase TEXT NOT NULL,
      copied_dataset INTEGER NOT NULL, copied_place BIGINT NOT NULL);
    CREATE TABLE event_move_log (no BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      dataset_no INTEGER NOT NULL, event_id TEXT COLLATE "C" NOT NULL);
    CREATE FUNCTION event_move_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        INSERT INTO event_move_log (dataset_no, event_id) VALUES (OLD.dataset_no, OLD.event_id);
      END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO event_move_log (dataset_no, event_id) VALUES (NEW.dataset_no, NEW.event_id);
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER event_move_note AFTER INSERT OR UPDATE OR DELETE ON ${move.source}
      FOR EACH ROW EXECUTE FUNCTION event_move_note()`);
  await client.query('INSERT INTO event_move VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
    move.source,
    move.source_server,
    JSON.stringify(move.pieces),
    move.from_shard,
    move.to_shard,
    move.server,
    move.phase,
    move.copied_dataset,
    move.copied_place,
  ]);
}

export async function forgetMove(client: pg.ClientBase): Promise<void> {
  await client.query('DROP TABLE event_move, event_move_log; DROP FUNCTION event_move_note CASCADE');
}
