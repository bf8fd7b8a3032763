// One moment for many reads: those of one turn of the event loop share a read transaction, because to begin and end one costs
// more than a point read. It ends with the turn, or earlier when the writer answers: what this process has acknowledged is seen
// by the next read.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const held = new Set<TurnSnapshot>();

/** Ends all snapshots of this process: the next read sees what is committed now. */
export function endTurnSnapshots(): void {
  for (const snapshot of held) snapshot.end();
}

export class TurnSnapshot {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #known = new Map<string, unknown>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN');
    this.#commit = db.prepare('COMMIT');
  }

  hold(): void {
    if (held.has(this)) return;
    this.#begin.run();
    held.add(this);
    setImmediate(() => this.end());
  }

  /** What `read` answers at this moment: read once while it is held. */
  once<T>(key: string, read: () => T): T {
    if (!held.has(this)) return read();
    if (!this.#known.has(key)) this.#known.set(key, read());
    return this.#known.get(key) as T;
  }

  end(): void {
    if (!held.delete(this)) return;
    this.#known.clear();
    // A read that failed may have ended it already.
    if (this.#db.isOpen && this.#db.isTransaction) this.#commit.run();
  }
}
