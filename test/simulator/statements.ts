// The statements of a simulated database. A read is repeated only when a column it reads has changed since, or rows of its tables have
// come or gone: most are polls, which find what the poll before has found. What a statement reads and writes is what SQLite says when
// it prepares it.
import { constants, type DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Row } from '../../src/store/database.ts';
import { withoutNewPlans } from '../../src/store/sqlite/prepared-statements.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** makes an object of the values of a row; null: it returns none */
  readonly toRow: ((values: readonly Row[string][]) => Row) | null;
  readonly reads: readonly Part[];
  readonly writes: readonly Part[];
  /** parameters → what was read last with them */
  readonly known: Map<string, Known>;
}

/** A column of a table, or which rows the table has. */
interface Part {
  /** the number of the write that changed it last */
  changed: number;
}

interface Known {
  /** the number of the last write before it was read */
  readonly at: number;
  readonly rows: readonly Row[string][][];
}

export interface OwnStatement {
  get(...params: SQLInputValue[]): unknown;
  all(...params: SQLInputValue[]): unknown[];
  run(...params: SQLInputValue[]): unknown;
}

/** Rows come as arrays: making objects of them here takes a fraction of the time the driver takes. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  readonly #parts = new Map<string, Part>();
  #touched = { reads: new Set<Part>(), writes: new Set<Part>() };
  #writes = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const cascades = cascadesOf(db);
    db.setAuthorizer((action, table, column) => {
      const { reads, writes } = this.#touched;
      if (action === constants.SQLITE_READ) reads.add(this.#part(table!)).add(this.#part(`${table}.${column}`));
      if (action === constants.SQLITE_UPDATE) writes.add(this.#part(`${table}.${column}`));
      if (action === constants.SQLITE_INSERT || action === constants.SQLITE_DELETE) writes.add(this.#part(table!));
      if (action === constants.SQLITE_DELETE) {
        for (const name of cascades.get(table!) ?? []) writes.add(this.#part(name));
      }
      return constants.SQLITE_OK;
    });
  }

  run(sql: string, params: readonly unknown[]): Row[] {
    const prepared = this.#prepared.get(sql) ?? this.#prepare(sql);
    const values = prepared.writes.length > 0 ? this.#write(prepared, params) : this.#read(prepared, params);
    return prepared.toRow === null ? [] : values.map(prepared.toRow);
  }

  /** For code that runs its statements itself: what one of them writes has changed whenever it ran. */
  prepare(sql: string): OwnStatement {
    this.#touched = { reads: new Set(), writes: new Set() };
    const statement = this.#db.prepare(withoutNewPlans(sql));
    const writes = [...this.#touched.writes];
    if (writes.length === 0) return statement;
    const note = () => {
      this.#writes++;
      for (const part of writes) part.changed = this.#writes;
      return statement;
    };
    return {
      get: (...params: SQLInputValue[]) => note().get(...params),
      all: (...params: SQLInputValue[]) => note().all(...params),
      run: (...params: SQLInputValue[]) => note().run(...params),
    };
  }

  /** Something was changed by other means. */
  forget(): void {
    this.#writes++;
    for (const part of this.#parts.values()) part.changed = this.#writes;
    for (const { known } of this.#prepared.values()) known.clear();
  }

  #read({ statement, reads, known }: Prepared, params: readonly unknown[]): readonly Row[string][][] {
    // BEGIN and the like.
    if (reads.length === 0) return statement.all() as unknown as Row[string][][];
    const key = params.join('\n');
    const last = known.get(key);
    if (last !== undefined && reads.every(({ changed }) => changed <= last.at)) return last.rows;
    const rows = statement.all(...(params as string[])) as unknown as Row[string][][];
    known.set(key, { at: this.#writes, rows });
    return rows;
  }

  #write({ statement, toRow, writes }: Prepared, params: readonly unknown[]): readonly Row[string][][] {
    const rows = statement.all(...(params as string[])) as unknown as Row[string][][];
    // One that returns what it has changed has changed nothing then.
    if (toRow !== null && rows.length === 0) return rows;
    this.#writes++;
    for (const part of writes) part.changed = this.#writes;
    return rows;
  }

  #prepare(sql: string): Prepared {
    this.#touched = { reads: new Set(), writes: new Set() };
    const statement = this.#db.prepare(withoutNewPlans(sql));
    statement.setReturnArrays(true);
    const toRow = rowMaker(statement.columns().map(({ name }) => name));
    const { reads, writes } = this.#touched;
    const prepared: Prepared = { statement, toRow, reads: [...reads], writes: [...writes], known: new Map() };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #part(name: string): Part {
    const part = this.#parts.get(name) ?? { changed: 0 };
    this.#parts.set(name, part);
    return part;
  }
}

/** An object literal, which takes a fraction of the time of setting one field after the other. */
function rowMaker(names: readonly string[]): Prepared['toRow'] {
  if (names.length === 0) return null;
  // Of two columns with the same name the last one counts, as with the driver.
  const fields = names.map((name, n) => `${JSON.stringify(name)}: values[${n}]`);
  return new Function('values', `return { ${fields.join(', ')} }`) as Prepared['toRow'];
}

/** Table → the tables whose rows go with its own. */
function cascadesOf(db: DatabaseSync): Map<string, string[]> {
  const cascades = new Map<string, string[]>();
  const keys = db.prepare(
    `SELECT child.name AS child, foreign_key."table" AS parent FROM sqlite_master child
     JOIN pragma_foreign_key_list(child.name) foreign_key WHERE child.type = 'table' AND on_delete <> 'NO ACTION'`,
  );
  for (const { child, parent } of keys.all()) {
    cascades.set(String(parent), [...(cascades.get(String(parent)) ?? []), String(child)]);
  }
  return cascades;
}
