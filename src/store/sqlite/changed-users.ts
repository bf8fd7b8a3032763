// Since when users' events have not changed, as far as this process made the changes itself. Every change makes its dataset one
// version newer, so a version that nobody here made betrays a change by another process: from then on nothing older counts.
import type { EventChange } from './write-protocol.ts';

/** Of one dataset; then it starts anew. */
const MAX_CHANGED = 200_000;
/** Datasets that are asked about; the one first asked about is forgotten. */
const MAX_DATASETS = 1000;

interface ChangeLog {
  /** Every change of the versions (from, to] is known. */
  from: number;
  to: number;
  /** version of the last change, by the user's number */
  changed: Map<number, number>;
}

export class ChangedUsers {
  readonly #logs = new Map<string, ChangeLog>();

  /** A change of this process can be read from now on, or at least soon. */
  note({ datasetId, version, users }: EventChange): void {
    const log = this.#logs.get(datasetId);
    // Who makes that version instead is not known.
    if (users === null) return void this.#logs.delete(datasetId);
    // Nobody has asked, so nobody compares; or the log began with the change.
    if (log === undefined || version <= log.from) return;
    if (version > log.to + 1 || log.changed.size + users.length > MAX_CHANGED) {
      log.from = version;
      log.changed.clear();
    } else {
      for (const user of users) log.changed.set(user, version);
    }
    log.to = Math.max(log.to, version);
  }

  /** Whether changes up to that version of a dataset are noted. */
  isCurrent(datasetId: string, version: number): boolean {
    const log = this.#logs.get(datasetId);
    return log === undefined || log.to >= version;
  }

  /** The oldest version known to have the user's events as the dataset has them at `version`. */
  versionOf(datasetId: string, user: number, version: number): number {
    const log = this.#logs.get(datasetId) ?? this.#begin(datasetId, version);
    // A change that another process made may concern anyone.
    if (version > log.to || version < log.from) return version;
    const changed = log.changed.get(user) ?? log.from;
    // A change that was announced and cannot be read yet: what is read is as it was before.
    return Math.min(changed, version);
  }

  #begin(datasetId: string, version: number): ChangeLog {
    if (this.#logs.size >= MAX_DATASETS) this.#logs.delete(this.#logs.keys().next().value!);
    const log = { from: version, to: version, changed: new Map<number, number>() };
    this.#logs.set(datasetId, log);
    return log;
  }
}
