// Takes the ids of users without events out of `interned`. The number keeps a placeholder, so that numbers stay dense; a user
// who comes back gets a new number.
import type { DatabaseSync } from 'node:sqlite';
import type { DatasetCounts } from '../dataset-counts.ts';
import { forgottenId, INTERNED_KIND_NO } from '../event-store.ts';
import { OWNER_BYTES, PlaceReader, userEnd } from './event-place.ts';
import type { Erasure } from './remains-cleaner.ts';

export interface UserForgetter {
  /** Forgets the users of these places who have no events left, and raises `erasures` for them. */
  forget(counts: DatasetCounts, places: Iterable<Uint8Array>): void;
  /** Takes the ids of users whose events now belong to another user; raises `merges`. */
  merge(counts: DatasetCounts, places: Iterable<Uint8Array>): void;
}

export function userForgetter(db: DatabaseSync, erasure: Erasure): UserForgetter {
  const anyEvent = db.prepare('SELECT 1 FROM event_place WHERE place > ? AND place < ? LIMIT 1');
  const ofUser = `dataset_no = ? AND kind = ${INTERNED_KIND_NO.user} AND no = ?`;
  const select = db.prepare(`SELECT octet_length(id) AS bytes FROM interned WHERE ${ofUser}`);
  const replace = db.prepare(`UPDATE interned SET id = ? WHERE ${ofUser}`);

  /** Takes away the ids of the users without events. Returns how many there were. */
  function takeIds(counts: DatasetCounts, places: Iterable<Uint8Array>): number {
    const owners = new Map<number, Uint8Array>();
    for (const place of places) {
      const user = new PlaceReader(place).user(0);
      if (!owners.has(user)) owners.set(user, place.slice(0, OWNER_BYTES));
    }
    let taken = 0;
    for (const [user, owner] of owners) {
      if (anyEvent.get(owner, userEnd(owner)) !== undefined) continue;
      const { bytes } = select.get(counts.dataset_no, user) as { bytes: number };
      const placeholder = forgottenId(user);
      replace.run(placeholder, counts.dataset_no, user);
      counts.stored_bytes += Buffer.byteLength(placeholder) - bytes;
      taken++;
    }
    return taken;
  }

  return {
    forget(counts, places) {
      const taken = takeIds(counts, places);
      counts.erasures += taken;
      if (taken > 0) erasure.due();
    },
    merge(counts, places) {
      const taken = takeIds(counts, places);
      counts.merges += taken;
      if (taken > 0) erasure.logDue();
    },
  };
}
