// Messages between the handler of a recommendation job and the maker of its lists.
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
  /** the placement that makes the lists; null if there is none */
  readonly placement: LivePlacement | null;
  /** attributes that the result has of each item */
  readonly attributes: readonly string[];
  /** types of the attributes, for tables with types */
  readonly types: AttributeTypes;
  /** the current time for filters */
  readonly nowMs: number;
}

export interface ListThreadInput extends ListOrder {
  readonly config: JobConfig;
}

/** The lists of a batch. */
export interface MadeLists {
  /** lines of the result */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** rows of the table; null if there is no table or no rows */
  readonly rows: EncodedRows | null;
  readonly users: number;
  /** users who came with their ids alone and whose events or records were found */
  readonly found: readonly string[];
}

/** Makes the lists of a job. */
export interface ListMaker {
  /** columns of the rows it makes */
  readonly columns: Pick<ListOrder, 'attributes' | 'types'>;
  /** most of a user's newest events that count */
  readonly historyLimit: number;
  /** maximum number of items in a list */
  readonly listLength: number;
  /** Yields results in the order of the batches. */
  make(batches: AsyncIterable<UserBatch>): AsyncGenerator<MadeLists>;
  close(): Promise<void>;
}

export type ListThreadMessage =
  /** `memoryBytes`: what the thread holds */
  | { kind: 'ready'; memoryBytes: number; historyLimit: number }
  | { kind: 'made'; lists: MadeLists }
  | { kind: 'failure'; code: string; message: string }
  | { kind: 'error'; message: string; stack?: string };
