// A batch of a stream inside the writer's transaction: its records, then the position after them.
import type { DatabaseSync } from 'node:sqlite';
import type { UpsertOutcome } from '../record-store.ts';
import { MOVE_SQL, moveParams, POSITION_SQL } from '../sql/stream-positions.ts';
import type { AppendCommand, UpsertEventsCommand, UpsertRecordsCommand } from './write-protocol.ts';

export type WriteOutcomes = (command: UpsertEventsCommand | UpsertRecordsCommand, nowMs: number) => UpsertOutcome[];

export function streamWriter(db: DatabaseSync, write: WriteOutcomes) {
  const position = db.prepare(POSITION_SQL);
  const move = db.prepare(MOVE_SQL);
  return {
    /** Writes the position last: if the upsert exceeds the account's plan it is refused, and nothing may have changed. */
    append({ target, upsert, step }: AppendCommand, nowMs: number): UpsertOutcome[] | null {
      const found = position.get(target.dataset_id, step.stream, step.partition) as { next_offset: number } | undefined;
      if ((found?.next_offset ?? null) !== step.from) return null;
      const outcomes = upsert === null ? [] : write(upsert, nowMs);
      move.run(...moveParams(target.dataset_id, step, outcomes));
      return outcomes;
    },
  };
}
