// What the handler of a recommendation job and whoever makes its lists say to each other.
import type { Project } from '../../domain/project.ts';
import type { AttributeTypes, RecommendationJobData } from '../../domain/recommendation-job.ts';
import type { LivePlacement } from '../../serving/live-placements.ts';
import type { JobConfig } from '../job-handler.ts';
import type { EncodedRows } from './encoded-rows.ts';
import type { UserBatch } from './user-batch.ts';

/** The lists that a job is to make. */
export interface ListOrder {
  readonly project: Project;
  readonly data: RecommendationJobData;
  /** the placement that makes them; null: none */
  readonly placement: LivePlacement | null;
  /** what is shown of each item */
  readonly attributes: readonly string[];
  /** of the attributes, for tables that have types */
  readonly types: AttributeTypes;
  /** what filters take for now */
  readonly nowMs: number;
}

export interface ListThreadInput extends ListOrder {
  readonly config: JobConfig;
}

/** The lists of a batch. */
export interface MadeLists {
  /** of the result's lines */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** of the table; null: it has none, or there are no rows */
  readonly rows: EncodedRows | null;
  readonly users: number;
}

/** Makes the lists of a job. */
export interface ListMaker {
  /** of the rows it makes */
  readonly columns: Pick<ListOrder, 'attributes' | 'types'>;
  /** newest events of a user that count */
  readonly historyLimit: number;
  /** the most items of a list */
  readonly listLength: number;
  /** In the order of the batches. */
  make(batches: AsyncIterable<UserBatch>): AsyncGenerator<MadeLists>;
  close(): Promise<void>;
}

export type ListThreadMessage =
  /** `memoryBytes`: what the thread holds */
  | { kind: 'ready'; memoryBytes: number; historyLimit: number }
  | { kind: 'made'; lists: MadeLists }
  | { kind: 'failure'; code: string; message: string }
  | { kind: 'error'; message: string; stack?: string };
