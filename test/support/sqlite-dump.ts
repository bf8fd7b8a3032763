// All tables, indexes and rows of a SQLite file, to compare.
import { DatabaseSync } from 'node:sqlite';

export function dumpSqlite(file: string) {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all();
    const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => String(name));
    return { schema, rows: tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()] as const) };
  } finally {
    db.close();
  }
}
