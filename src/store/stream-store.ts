// Stores how far a stream of messages has been read, together with the data: a batch and the position after it are written in one
// transaction. A reader starts at the stored position, so each message is stored once, even after a crash.
import type { Dataset } from '../domain/dataset.ts';
import type { EntityRecord, EventRecord } from '../domain/record.ts';
import type { UpsertOutcome } from './record-store.ts';

/** A batch of one partition of a stream. */
export interface StreamStep {
  /** the reader's group and the stream's name */
  readonly stream: string;
  readonly partition: number;
  /** The stored position before the batch; null: none yet. */
  readonly from: number | null;
  /** The position of the first message after the batch. */
  readonly next: number;
  /** Number of messages in the batch. */
  readonly messages: number;
  /** How many of them were not valid records. */
  readonly skipped: number;
  /** How many of them had no value. */
  readonly tombstones: number;
  /** Messages before the batch that were deleted before anybody read them. */
  readonly lost: number;
}

export interface StreamPosition {
  stream: string;
  partition: number;
  dataset_id: string;
  next_offset: number;
  /** Number of messages since the first one. */
  messages: number;
  skipped: number;
  tombstones: number;
  lost: number;
}

export interface StreamStore {
  /** Positions of one dataset, or of all. */
  positions(datasetId?: string): Promise<StreamPosition[]>;
  /**
   * Stores the records and the position together. Returns null, without any change, if the stored position is not `step.from`,
   * because another reader moved it. Ids are unique within the batch.
   */
  appendEvents(dataset: Dataset, events: readonly EventRecord[], step: StreamStep): Promise<UpsertOutcome[] | null>;
  appendRecords(dataset: Dataset, records: readonly EntityRecord[], step: StreamStep): Promise<UpsertOutcome[] | null>;
}
