// Connections that have fallen silent: a machine or a firewall that drops packets tells nobody, and a statement would wait for its
// response until TCP gives up after minutes. A connection at work that has received nothing for a while raises the question whether
// the server can be reached at all. If not, all connections are closed, and those who wait get an error. If so, the statement
// may just be slow: its connection is closed when the server's own limit for statements has passed.
import type pg from 'pg';
import type { Runtime, Timer } from '../../base/runtime.ts';

const LOOK_MS = 1000;
const DOUBT_MS = 5000;

interface AtWork {
  bytesRead: number;
  /** when the last bytes arrived */
  sinceMs: number;
}

type Connected = { connection: { stream: { bytesRead: number; destroy(error?: Error): void } } };
const streamOf = (client: pg.ClientBase) => (client as unknown as Connected).connection.stream;

/** Connections whose statements may take any time. */
const patient = new WeakSet<pg.ClientBase>();

/** Lifts the limits of statements, and of pauses between them, until the transaction ends. */
export const WITHOUT_TIME_LIMIT_SQL =
  'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

export async function withoutTimeLimit(client: pg.ClientBase): Promise<void> {
  await client.query(WITHOUT_TIME_LIMIT_SQL);
  patient.add(client);
}

export interface SilenceWatchParts {
  /** Resolves to false if the server does not respond. */
  isReachable: () => Promise<boolean>;
  /** A statement that took longer would have been ended by the server. */
  longestMs: number;
  onUnreachable: () => void;
  runtime: Runtime;
}

export class SilenceWatch {
  readonly #parts: SilenceWatchParts;
  readonly #open = new Set<pg.ClientBase>();
  readonly #atWork = new Map<pg.ClientBase, AtWork>();
  #timer: Timer | undefined;
  #probing = false;

  constructor(parts: SilenceWatchParts) {
    this.#parts = parts;
  }

  opened(client: pg.ClientBase): void {
    this.#open.add(client);
  }

  closed(client: pg.ClientBase): void {
    this.#open.delete(client);
    this.#atWork.delete(client);
  }

  async during<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
    const { runtime } = this.#parts;
    this.#atWork.set(client, { bytesRead: streamOf(client).bytesRead, sinceMs: runtime.monotonicMs() });
    this.#timer ??= runtime.every(LOOK_MS, () => this.#look());
    try {
      return await work();
    } finally {
      this.#atWork.delete(client);
      patient.delete(client);
    }
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #look(): void {
    const nowMs = this.#parts.runtime.monotonicMs();
    let isInDoubt = false;
    for (const [client, seen] of this.#atWork) {
      const { bytesRead } = streamOf(client);
      if (bytesRead !== seen.bytesRead) Object.assign(seen, { bytesRead, sinceMs: nowMs });
      const silentMs = nowMs - seen.sinceMs;
      if (silentMs > this.#parts.longestMs && !patient.has(client)) close(client);
      isInDoubt ||= silentMs > DOUBT_MS;
    }
    if (isInDoubt && !this.#probing) void this.#probe();
  }

  async #probe(): Promise<void> {
    this.#probing = true;
    try {
      if (await this.#parts.isReachable()) return;
      this.#parts.onUnreachable();
      for (const client of this.#open) close(client);
    } finally {
      this.#probing = false;
    }
  }
}

function close(client: pg.ClientBase): void {
  streamOf(client).destroy(Object.assign(new Error('The database does not respond.'), { code: 'ETIMEDOUT' }));
}
