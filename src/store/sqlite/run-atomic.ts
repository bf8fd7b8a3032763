// `Database.atomic` on the writer's side: the statements in order, the rows of each. The caller holds the transaction.
import type { DatabaseSync } from 'node:sqlite';
import type { Row } from '../database.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { AtomicCommand } from './write-protocol.ts';

export function runAtomic(db: DatabaseSync): { run(command: AtomicCommand): Row[][] } {
  const prepared = new PreparedStatements(db);
  return {
    run: ({ statements }) =>
      statements.map(({ sql, params }) => prepared.of(sql).all(...((params ?? []) as string[])) as Row[]),
  };
}
