// `Database.atomic` on the writer's side: the statements in order, the rows of each. The caller holds the transaction.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Row } from '../database.ts';
import type { AtomicCommand } from './write-protocol.ts';

const MAX_PREPARED = 256;

export function runAtomic(db: DatabaseSync): { run(command: AtomicCommand): Row[][] } {
  const prepared = new Map<string, StatementSync>();

  function statementOf(sql: string): StatementSync {
    let statement = prepared.get(sql);
    if (!statement) {
      // Statements come from a fixed set of texts; the bound is for lists of placeholders of many lengths.
      if (prepared.size >= MAX_PREPARED) prepared.clear();
      statement = db.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  }

  return {
    run: ({ statements }) =>
      statements.map(({ sql, params }) => statementOf(sql).all(...((params ?? []) as string[])) as Row[]),
  };
}
