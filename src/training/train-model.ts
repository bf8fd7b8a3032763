// Entry of training: events of a project's dataset → fitted model, its offline figures and the facts of the run.
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { JobProgress } from '../domain/job.ts';
import type { Model } from '../domain/model.ts';
import type { Project } from '../domain/project.ts';
import type { G1Model } from '../models/g1-model.ts';
import type { EventStore } from '../store/event-store.ts';
import type { RecordStore } from '../store/record-store.ts';

export type ProgressListener = (progress: JobProgress) => void;

export interface TrainModelInput {
  readonly store: { readonly events: EventStore; readonly items: RecordStore };
  readonly project: Pick<
    Project,
    'event_dataset_id' | 'item_dataset_id' | 'user_dataset_id' | 'target_event_type' | 'account_id'
  >;
  /** num_shards of the event dataset */
  readonly eventShards: number;
  readonly parameters: AlgorithmParameters;
  /** default: the machine's cores */
  readonly threads?: number;
  readonly onProgress?: ProgressListener;
  readonly signal?: AbortSignal;
}

/** Facts of a run, as the model record carries them in `training`. */
export interface TrainingFacts extends Record<string, unknown> {
  events: number;
  users: number;
  items: number;
  seconds: { total: number; [phase: string]: number };
  peak_memory_mb: number;
  threads: number;
  /** settings in force, given or chosen by auto */
  settings: Readonly<Record<string, unknown>>;
}

export interface TrainedModel {
  readonly model: G1Model;
  readonly metrics: Model['metrics'];
  readonly training: TrainingFacts;
}

/**
 * Throws JobFailure when the data cannot give a model (says what was found and what is needed), and the signal's reason when
 * it is aborted.
 */
export type TrainModel = (input: TrainModelInput) => Promise<TrainedModel>;
