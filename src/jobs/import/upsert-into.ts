// Stores records of an import job in a dataset of its project, checked as the upsert calls check them. While the store is busy or cannot be
// reached, a batch waits; a job that waits too long goes back to the queue.

import type { Runtime } from '../../base/runtime.ts';
import type { Dataset } from '../../domain/dataset.ts';
import type { RecordKind } from '../../domain/import-job.ts';
import { JobFailure } from '../../domain/job.ts';
import type { ReadList } from '../../domain/recommendation.ts';
import type { EntityRecord } from '../../domain/record.ts';
import { readEntities, readEvents } from '../../domain/record-batch.ts';
import { withRefused } from '../../domain/record-refusal.ts';
import { AppError } from '../../errors.ts';
import type { UpsertRecords } from '../../import/upsert-records.ts';
import type { UpsertOutcome } from '../../store/record-store.ts';
import type { Store } from '../../store/store.ts';
import { unknownIds } from '../../store/unknown-ids.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** With pauses between them, about a minute in total. */
const TRIES = 12;
/** Most characters of attributes in one write: as much as one upsert call may have. */
const MAX_WRITE_CHARACTERS = 16 * 1024 * 1024;

export interface ImportTarget {
  readonly kind: RecordKind;
  readonly dataset: Dataset;
  readonly readList: ReadList;
}

export function upsertInto(
  store: Pick<Store, 'users' | 'items' | 'events'>,
  { kind, dataset, readList }: ImportTarget,
  { signal, runtime }: { signal: AbortSignal; runtime: Runtime },
): UpsertRecords {
  return async (given) => {
    const { ids, indexes, failures, warnings, outcomes } = await write(given);
    return {
      succeed_ids: ids.filter((_, n) => outcomes[n] === 'stored'),
      failures: withRefused(failures, outcomes, dataset, (n) => ({ index: indexes[n], id: ids[n] })),
      warnings,
    };
  };

  async function write(given: readonly unknown[]) {
    if (kind === 'events') {
      const batch = readEvents(given, { nowMs: runtime.nowMs(), readList });
      const stored = await patiently(() => store.events.upsert(dataset, batch.records));
      if (stored.firstSeen !== null) {
        for (const { row, ...warning } of await unknownIds(store.events, dataset.dataset_id, stored.firstSeen)) {
          batch.warnings.push({ index: batch.indexes[row], id: batch.records[row].event_id, ...warning });
        }
      }
      return { ...batch, ids: batch.records.map(({ event_id }) => event_id), outcomes: stored.outcomes };
    }
    const idField = kind === 'users' ? 'user_id' : 'item_id';
    const batch = readEntities(given, idField, dataset.attribute_schema);
    const outcomes: UpsertOutcome[] = [];
    for (const piece of piecesOf(batch.records)) {
      outcomes.push(...(await patiently(() => store[kind].upsert(dataset, piece))));
    }
    return { ...batch, ids: batch.records.map(({ id }) => id), outcomes };
  }

  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1, pauseMs = FIRST_PAUSE_MS; ; tries++, pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const { code, message } = error;
        if (code === 'PLAN_LIMIT_EXCEEDED' || code === 'DATASET_NOT_FOUND') throw new JobFailure(code, message);
        if ((code !== 'OVERLOADED' && code !== 'STORE_UNAVAILABLE') || tries === TRIES) throw error;
        await runtime.sleep(pauseMs, signal);
      }
    }
  }
}

function* piecesOf(records: readonly EntityRecord[]): Generator<EntityRecord[]> {
  let piece: EntityRecord[] = [];
  let characters = 0;
  for (const record of records) {
    const length = JSON.stringify(record.attributes).length;
    if (piece.length > 0 && characters + length > MAX_WRITE_CHARACTERS) {
      yield piece;
      piece = [];
      characters = 0;
    }
    piece.push(record);
    characters += length;
  }
  if (piece.length > 0) yield piece;
}
