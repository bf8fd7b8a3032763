// Stored records as objects. Parsing a page of large ones takes long, so it is done in short stretches, between which other
// calls get their turn.

import { ownTurn } from '../base/turns.ts';
import type { EntityRecord } from '../domain/record.ts';

const STRETCH_LENGTH = 256 * 1024;

export interface StoredRecord {
  readonly id: string;
  /** JSON text */
  readonly attributes: string;
}

export function parseRecord({ id, attributes }: StoredRecord): EntityRecord {
  return { id, attributes: JSON.parse(attributes) };
}

/** Parses records in their order. A null row stays null. */
export async function parseRecords<R extends StoredRecord | null>(
  rows: Iterable<R>,
): Promise<(R extends null ? null : EntityRecord)[]> {
  const records: (EntityRecord | null)[] = [];
  let length = 0;
  for (const row of rows) {
    const added = row?.attributes.length ?? 0;
    if (length > 0 && length + added > STRETCH_LENGTH) {
      length = 0;
      await ownTurn();
    }
    records.push(row === null ? null : parseRecord(row));
    length += added;
  }
  return records as (R extends null ? null : EntityRecord)[];
}
