// Messages between the calling thread and the writer thread. Batches travel as columns whose buffers are transferred.

import type { PastStep } from '../../base/trace.ts';
import type { Dataset } from '../../domain/dataset.ts';
import type { EventColumns, RecordColumns } from '../../domain/record-columns.ts';
import type { Row, Statement } from '../database.ts';
import type { EventUpsert } from '../event-store.ts';
import type { MergeStep } from '../merge-users.ts';
import type { Impression, ImpressionOutcome, ServedBatch } from '../outcome-store.ts';
import type { PatchOutcome, UpsertOutcome } from '../record-store.ts';
import type { StreamStep } from '../stream-store.ts';

export interface AtomicCommand {
  kind: 'atomic';
  statements: readonly Statement[];
}

/** The fields of a dataset that a write needs. */
export interface WriteTarget {
  account_id: string;
  dataset_id: string;
  num_shards: number;
}

export function targetOf({ account_id, dataset_id, num_shards }: Dataset): WriteTarget {
  return { account_id, dataset_id, num_shards };
}

export interface UpsertRecordsCommand {
  kind: 'upsert-records';
  target: WriteTarget;
  columns: RecordColumns;
}

export interface PatchRecordsCommand {
  kind: 'patch-records';
  target: WriteTarget;
  columns: RecordColumns;
  /** Whether an unknown id gets a record. */
  creates: boolean;
}

export interface DeleteRecordsCommand {
  kind: 'delete-records';
  target: WriteTarget;
  ids: readonly string[];
  /** Whether the ids are remembered as deleted. */
  isRemembered: boolean;
}

export interface UpsertEventsCommand {
  kind: 'upsert-events';
  target: WriteTarget;
  columns: EventColumns;
}

export interface DeleteEventsCommand {
  kind: 'delete-events';
  target: WriteTarget;
  eventIds: readonly string[];
}

export interface DeletePlacesCommand {
  kind: 'delete-places';
  target: WriteTarget;
  /** Encoded places laid end to end. Events deleted meanwhile or moved to another user are skipped. */
  places: Uint8Array;
}

export interface DeleteMomentsCommand {
  kind: 'delete-moments';
  target: WriteTarget;
  /** Encoded moments laid end to end. Events deleted meanwhile are skipped. */
  moments: Uint8Array;
}

export interface MergeUsersCommand {
  kind: 'merge-users';
  /** the dataset of events */
  target: WriteTarget;
  userTarget: WriteTarget;
  from: string;
  into: string;
  maxEvents: number;
}

export interface AddServedCommand {
  kind: 'add-served';
  target: WriteTarget;
  batch: ServedBatch;
}

export interface AddImpressionsCommand {
  kind: 'add-impressions';
  target: WriteTarget;
  impressions: readonly Impression[];
}

export interface ForgetOutcomesCommand {
  kind: 'forget-outcomes';
  target: WriteTarget;
  userId: string;
}

/** Appends a batch of a stream, or only moves its position. */
export interface AppendCommand {
  kind: 'append';
  target: WriteTarget;
  upsert: UpsertEventsCommand | UpsertRecordsCommand | null;
  step: StreamStep;
}

/** Removes some of what a deleted dataset left behind. */
export interface PurgeCommand {
  kind: 'purge';
  maxRows: number;
}

export type WriteCommand =
  | AtomicCommand
  | UpsertRecordsCommand
  | PatchRecordsCommand
  | DeleteRecordsCommand
  | UpsertEventsCommand
  | DeleteEventsCommand
  | DeletePlacesCommand
  | DeleteMomentsCommand
  | MergeUsersCommand
  | AddServedCommand
  | AddImpressionsCommand
  | ForgetOutcomesCommand
  | AppendCommand
  | PurgeCommand;

/** The result of each kind of command. */
export interface WriteResults {
  atomic: Row[][];
  'upsert-records': UpsertOutcome[];
  'patch-records': PatchOutcome[];
  'delete-records': number;
  'upsert-events': EventUpsert;
  'delete-events': number;
  'delete-places': number;
  'delete-moments': number;
  'merge-users': MergeStep;
  'add-served': undefined;
  'add-impressions': ImpressionOutcome[];
  'forget-outcomes': undefined;
  append: UpsertOutcome[] | null;
  /** Whether there is more to purge. */
  purge: boolean;
}

export interface WriteRequest {
  requestNo: number;
  /** Estimated rows that this command writes, by which a group is filled. */
  weight: number;
  command: WriteCommand;
  /** when the request was sent, which is the time of its writes: the thread has no runtime of its own for them */
  nowMs: number;
  /** whether the reply is to have the steps of the work */
  traced?: boolean;
}

/** The last message: close the file, then end. */
export const CLOSE = 'close';

/** An error crosses the thread boundary as plain data. */
export interface WriteError {
  kind: 'app' | 'constraint' | 'internal';
  code?: string;
  message: string;
}

export interface WriteReply {
  requestNo: number;
  result?: unknown;
  error?: WriteError;
  /** of the whole group, which may contain other requests too */
  steps?: readonly PastStep[];
}

export interface WriterThreadData {
  file: string;
}
