// The log of changed users: every write of events names the users whose events it changed, together with the version it made
// of the dataset. It is short: a cache that looks often learns exactly what changed, one that looks rarely starts over.

/** Most versions of a dataset that the log covers. */
const KEPT_VERSIONS = 512;
/** A write that changed more users than this logs none of them, which means that any user may have changed. */
const MAX_USERS = 2000;
/** Old entries are removed at every such version: removing them at each would double the writes. */
const PRUNE_EVERY = 64;

/** Packs the users that one write changed for the log; null means all users. */
export function packUsers(users: Iterable<number>): Uint8Array | null {
  const distinct = new Set(users);
  if (distinct.size > MAX_USERS) return null;
  return new Uint8Array(Uint32Array.from(distinct).buffer);
}

/** Returns the users of several entries; null if one of them means all users. */
function unpackUsers(entries: readonly (Uint8Array | null)[]): Uint32Array | null {
  const users: number[] = [];
  for (const entry of entries) {
    if (entry === null) return null;
    // A copy with a buffer of its own: what a database driver returns is a part of a larger one. A Buffer's slice() is no copy.
    users.push(...new Uint32Array(new Uint8Array(entry).buffer));
  }
  return Uint32Array.from(users);
}

/** Entries up to the returned version may be deleted when this version is written; null: none yet. */
export function prunedBefore(version: number): number | null {
  return version % PRUNE_EVERY === 0 && version > KEPT_VERSIONS ? version - KEPT_VERSIONS : null;
}

/** Parameters: the version, the dataset's number. The dataset's own row comes even when nothing changed. */
export const CHANGES_SQL = `SELECT c.version AS current, e.version, e.users FROM dataset_count c
  LEFT JOIN event_change e ON e.dataset_no = c.dataset_no AND e.version > ? WHERE c.dataset_no = ?`;

export interface ChangeRow {
  current: number;
  version: number | null;
  users: Uint8Array | null;
}

/** Combines the rows of CHANGES_SQL; null if the log does not go back that far or the dataset was replaced. */
export function changesOf(rows: readonly ChangeRow[], since: number): { version: number; users: Uint32Array } | null {
  if (rows.length === 0) return null;
  const { current } = rows[0];
  const entries = rows.filter(({ version }) => version !== null);
  // Every version has one entry: fewer mean that some are gone, more that the caller is ahead of the dataset.
  if (entries.length !== current - since) return null;
  const users = unpackUsers(entries.map((entry) => entry.users));
  return users === null ? null : { version: current, users };
}
