// Checks before the service creates anything: no other process uses the data folder, and the port is free. Failures are
// mistakes of a person at a terminal, so each is reported in one line that says what to do.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from './config/config.ts';
import { holdForServing, isServed, type ServeHolder } from './store/serve-lock.ts';

/** Why the service does not start. Shown to the person who started it, without a stack or a log line. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

/** Throws StartRefused, or returns a function that releases the data folder. */
export async function checkStart(config: Config, nowMs: number): Promise<() => void> {
  // Several nodes may share a PostgreSQL database, but only one may use a SQLite file.
  const isOwner = config.databaseUrl === null;
  const served = isOwner ? isServed(config.dataDir) : null;
  if (served) throw folderHeld(config, served.heldBy);
  await requireFreePort(config);
  if (!isOwner) return () => {};
  const lock = holdForServing(config.dataDir, nowMs);
  if ('heldBy' in lock) throw folderHeld(config, lock.heldBy);
  return lock.release;
}

async function requireFreePort({ host, port }: Config): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  try {
    probe.listen({ host, port });
    await once(probe, 'listening');
  } catch (error) {
    throw portProblem(error, { host, port });
  } finally {
    probe.close();
  }
}

/** StartRefused for an error of listen(); other errors unchanged. */
export function portProblem(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new StartRefused(
      `Port ${port} on ${host} is in use. Stop what uses it, or set KINDRED_PORT to another port.`,
    );
  }
  if (code === 'EACCES') {
    return new StartRefused(`No permission to use port ${port}. Set KINDRED_PORT to a port above 1023.`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartRefused(`This machine has no address ${host}. Set KINDRED_HOST to one it has, such as 127.0.0.1.`);
  }
  return error;
}

function folderHeld({ dataDir }: Config, holder: ServeHolder | null): StartRefused {
  const who = holder ? `process ${holder.pid} (since ${dateText(holder.sinceMs)})` : 'another process';
  return new StartRefused(
    `The data folder ${dataDir} is in use by ${who}. Stop it, or set KINDRED_DATA_DIR to another folder.`,
  );
}

/** Formats a time as Nov 15, 2026, 20:36:05. */
function dateText(ms: number): string {
  return new Date(ms).toLocaleString('en-US', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}
