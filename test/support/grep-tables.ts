// Which tables of a PostgreSQL database hold a text.
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts';

/** PostgreSQL's own files hold deleted rows until it vacuums: what counts here is what a table still has. */
export async function tablesWith(url: string, texts: readonly string[]): Promise<string[]> {
  const database = new PostgresDatabase(url, { maxConnections: 1 });
  const tables = await database.all<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  );
  const found: string[] = [];
  for (const { name } of tables) {
    for (const text of texts) {
      const rows = await database.all(`SELECT 1 FROM ${name} WHERE ${name}::text LIKE ? LIMIT 1`, [`%${text}%`]);
      if (rows.length > 0) found.push(`${name} holds ${text}`);
    }
  }
  await database.close();
  return found;
}
