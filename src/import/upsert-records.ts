// Sends records of an import to the service. Very large records do not fit into one call: half of them are sent at a time.
import {
  type EventRecord,
  type ItemRecord,
  type Kindred,
  KindredError,
  type UpsertAnswer,
  type UserRecord,
} from '../client/index.ts';
import type { RecordKind } from '../domain/import-job.ts';
import type { ImportRecord } from './record-maker.ts';

/** The outcome of an upsert. `index` is the position among the records. */
export interface UpsertedRecords {
  succeed_ids: readonly string[];
  failures: readonly { index: number; code: string; message: string }[];
  warnings: readonly { code: string }[];
}

export type UpsertRecords = (records: ImportRecord[]) => Promise<UpsertedRecords>;

export function upsertBy(
  kindred: Kindred,
  { kind, datasetId, signal }: { kind: RecordKind; datasetId: string; signal: AbortSignal },
): UpsertRecords {
  const upsert = (records: ImportRecord[]): Promise<UpsertAnswer> => {
    if (kind === 'users')
      return kindred.upsertDatasetUsers({ user_dataset_id: datasetId, users: records as UserRecord[] }, { signal });
    if (kind === 'items')
      return kindred.upsertDatasetItems({ item_dataset_id: datasetId, items: records as ItemRecord[] }, { signal });
    return kindred.upsertDatasetEvents({ event_dataset_id: datasetId, events: records as EventRecord[] }, { signal });
  };
  const send = async (records: ImportRecord[]): Promise<UpsertedRecords> => {
    try {
      const { succeed_ids, failures, warnings = [] } = await upsert(records);
      return { succeed_ids, failures, warnings };
    } catch (error) {
      if (!(error instanceof KindredError) || error.status !== 413 || records.length === 1) throw error;
      const half = records.length >> 1;
      return joined(await send(records.slice(0, half)), await send(records.slice(half)), half);
    }
  };
  return send;
}

function joined(first: UpsertedRecords, second: UpsertedRecords, offset: number): UpsertedRecords {
  return {
    succeed_ids: [...first.succeed_ids, ...second.succeed_ids],
    failures: [...first.failures, ...second.failures.map((failure) => ({ ...failure, index: failure.index + offset }))],
    warnings: [...first.warnings, ...second.warnings],
  };
}
