// Processes of an older version on the same database, during a rolling upgrade. They write without what later migrations added:
// they count no bytes, forget no users, keep no top lists. While they have sessions, guards in the database keep these writes
// from failing and from doing damage, and note which datasets they changed. Once the last of them is gone, each of these datasets
// is counted again (settle-datasets.ts), and the guards are removed.
//
// A session tells its version by its name, `kindred/<newest migration>`; version 0.1.0 says `kindred`.
import type { ClientBase } from 'pg';
import { MIGRATIONS } from '../migrations/index.ts';

const SCHEMA_VERSION = Math.max(...MIGRATIONS.map(({ version }) => version));
export const SESSION_NAME = `kindred/${SCHEMA_VERSION}`;

const versionOf = (name: string): string => `COALESCE(substring(${name} FROM '^kindred/([0-9]+)$')::integer, 0)`;

const OLDER_SESSIONS_SQL = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
  AND application_name LIKE 'kindred%' AND ${versionOf('application_name')} < ${SCHEMA_VERSION}`;
const IS_OLDER_SQL = `${versionOf("current_setting('application_name')")} < ${SCHEMA_VERSION}`;

/** Tables in the order in which writers lock them: whoever waits for the first holds none of the others. */
const LOCKED = [
  'dataset',
  'dataset_count',
  'event',
  'record',
  'record_deletion',
  'interned',
  'job',
  'account',
  'api_key',
];

const GUARDS_SQL = `
CREATE TABLE IF NOT EXISTS older_write (dataset_no INTEGER PRIMARY KEY);

-- An id is remembered as deleted once, and not while it has a record.
CREATE OR REPLACE FUNCTION older_forget_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM record_deletion WHERE dataset_no = NEW.dataset_no AND id = NEW.id;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER older_deletion BEFORE INSERT ON record_deletion FOR EACH ROW
  WHEN (${IS_OLDER_SQL}) EXECUTE FUNCTION older_forget_mark();
CREATE OR REPLACE TRIGGER older_record AFTER INSERT ON record FOR EACH ROW
  WHEN (${IS_OLDER_SQL}) EXECUTE FUNCTION older_forget_mark();

CREATE OR REPLACE FUNCTION older_note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO older_write VALUES (NEW.dataset_no) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER older_count AFTER UPDATE ON dataset_count FOR EACH ROW
  WHEN (${IS_OLDER_SQL}) EXECUTE FUNCTION older_note_write();

-- Older processes remember numbers of users: an id that lost its number would take their events with it.
CREATE OR REPLACE FUNCTION older_keep_id() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (${OLDER_SESSIONS_SQL}) THEN RETURN NEW; END IF;
  INSERT INTO older_write VALUES (OLD.dataset_no) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER older_id BEFORE UPDATE ON interned FOR EACH ROW
  WHEN (starts_with(NEW.id, chr(1))) EXECUTE FUNCTION older_keep_id();

-- Their jobs would fail, because a job opens the database again. Jobs wait for a worker of this version.
CREATE OR REPLACE FUNCTION older_leave_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER older_claim BEFORE UPDATE ON job FOR EACH ROW
  WHEN (${IS_OLDER_SQL} AND OLD.job_status = 'PENDING' AND NEW.job_status = 'RUNNING') EXECUTE FUNCTION older_leave_job();

-- They do not read the large part of sums of squares, and would name false winners. A process of this version decides.
-- Version 0.1.0 has no experiments.
CREATE OR REPLACE FUNCTION older_leave_experiment() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RETURN NULL;
END $$;
DO $do$ BEGIN
  IF to_regclass('experiment') IS NOT NULL THEN
    CREATE OR REPLACE TRIGGER older_decision BEFORE UPDATE ON experiment FOR EACH ROW
      WHEN (${IS_OLDER_SQL} AND OLD.decided IS NULL AND NEW.decided IS NOT NULL) EXECUTE FUNCTION older_leave_experiment();
  END IF;
END $do$;
`;

const FUNCTIONS = [
  'older_forget_mark',
  'older_note_write',
  'older_keep_id',
  'older_leave_job',
  'older_leave_experiment',
];
const REMOVE_GUARDS_SQL = `
SET LOCAL lock_timeout = '2s';
${FUNCTIONS.map((name) => `DROP FUNCTION IF EXISTS ${name} CASCADE;`).join('\n')}
DROP TABLE older_write;
`;

/**
 * Call before the migrations of a database that is in use, so that the guards are in place as soon as the migrations
 * take effect.
 */
export async function guardOlderProcesses(client: ClientBase): Promise<void> {
  if (!(await hasOlderProcesses(client))) return;
  await client.query(`LOCK TABLE ${LOCKED.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  await client.query(GUARDS_SQL);
}

export async function hasOlderProcesses(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rowCount } = await client.query(`${OLDER_SESSIONS_SQL} LIMIT 1`);
  return rowCount! > 0;
}

export async function hasGuards(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `SELECT to_regclass('older_write') IS NOT NULL AS is_there`,
  );
  return rows[0].is_there;
}

/** Removes the guards unless a dataset must still be counted. Returns whether they are gone. */
export async function removeGuards(client: ClientBase): Promise<boolean> {
  if (!(await hasGuards(client))) return true;
  const { rowCount } = await client.query('SELECT 1 FROM older_write LIMIT 1');
  if (rowCount! > 0) return false;
  await client.query(REMOVE_GUARDS_SQL);
  return true;
}
