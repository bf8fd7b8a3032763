// Processor time of a PostgreSQL on this machine, as Linux counts it.
import { readFileSync } from 'node:fs';
import pg from 'pg';

/** Linux counts in hundredths of a second. */
const TICKS_PER_SEC = 100;
/** After the name in brackets: user and system time. */
const [USER_TICKS, SYSTEM_TICKS] = [11, 12];

/** Of all its processes that run now. */
export async function postgresCpuSec(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.reduce((sum, { pid }) => sum + cpuSecOf(pid), 0);
}

function cpuSecOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SEC;
  } catch {
    // Ended meanwhile.
    return 0;
  }
}
