// The parts that querying and clustering jobs share: their input, and the model opened over the live catalog.
import { availableParallelism } from 'node:os';
import { ArtifactError } from '../artifact/format.ts';
import { loadModel } from '../artifact/g1-file.ts';
import type { G1Model } from '../artifact/g1-model.ts';
import type { Runtime } from '../base/runtime.ts';
import { Catalog } from '../catalog/catalog.ts';
import { type Job, JobFailure, type JobProgress } from '../domain/job.ts';
import type { Project } from '../domain/project.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { projectOfJob } from '../pieces/job-project.ts';
import type { PiecePlace } from '../pieces/piece.ts';
import type { ErasureGuard } from '../results/erasure-guard.ts';
import type { PublishedResult } from '../results/publish-result.ts';
import { G1Recommender } from '../scoring/g1-recommender.ts';
import { createLazyScorer } from '../scoring/lazy-scorer.ts';
import { BlobNotFound, type BlobStore } from '../store/blob-store.ts';
import type { Store } from '../store/store.ts';
import type { ResultHead } from './result-head.ts';
import { BegunScan } from './users/begun-scan.ts';
import { eventNumbers } from './users/event-numbers.ts';
import { UserScan } from './users/scan-users.ts';
import { TasteVectors } from './users/taste-vectors.ts';

/** The part of a job's context that insight needs. */
export interface InsightRun {
  readonly job: Job;
  readonly attemptId: string;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly scratchDir: string;
  readonly progress: (progress: JobProgress) => void;
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  /** keeps users who are deleted meanwhile out of the result */
  readonly erasures?: ErasureGuard | null;
  /** default: the machine's cores */
  readonly threads?: number;
}

/** A piece of a job: its users, and the folder for its files. */
export type PieceRun = InsightRun & PiecePlace;

export type InsightResult = PublishedResult & { message: string | null };

export interface OpenedModel {
  readonly modelId: string;
  readonly project: Project;
  readonly model: G1Model;
  readonly catalog: Catalog;
  readonly recommender: G1Recommender;
}

/** Begins to read the events of the piece and opens the model meanwhile; reading ends with the work. */
export async function withEvents<T>(
  run: PieceRun,
  modelId: string,
  work: (opened: OpenedModel, events: BegunScan) => Promise<T>,
): Promise<T> {
  const { event_dataset_id: datasetId } = await projectOfJob(run.store, run.job);
  const events = new BegunScan(run.store.events.scan(datasetId, run.range.shards));
  try {
    return await work(await openModel(run, modelId), events);
  } finally {
    await events.stop();
  }
}

/** Runs work with threads that end when the work ends. */
export async function withPool<T>(run: InsightRun, work: (pool: KernelPool) => Promise<T>): Promise<T> {
  const pool = new KernelPool(run.threads ?? availableParallelism(), { signal: run.signal });
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

export function openModel(run: InsightRun & Pick<PiecePlace, 'opened'>, modelId: string): Promise<OpenedModel> {
  return run.opened.once(`model ${modelId}`, () => readOpened(run, modelId));
}

async function readOpened(run: InsightRun, modelId: string): Promise<OpenedModel> {
  const { job, store, blobs, progress } = run;
  progress({ fraction: 0, phase: 'load', message: 'Loading the model and the item catalog.' });
  const project = await projectOfJob(run.store, run.job);
  const row = await store.models.get(job.account_id, job.project_id, modelId);
  if (row === null) throw new JobFailure('MODEL_NOT_FOUND', `Model ${modelId} was deleted before the job ran.`);
  const model = await readModel(blobs, row.artifact_key, modelId);
  const dataset = await store.datasets.get(job.account_id, 'item', project.item_dataset_id);
  const catalog = await Catalog.load(store.items, project.item_dataset_id, dataset?.attribute_schema);
  const recommender = new G1Recommender(model, catalog, createLazyScorer);
  await recommender.settle();
  return { modelId, project, model, catalog, recommender };
}

export type ScanRun = Pick<PieceRun, 'store' | 'signal' | 'range' | 'elsewhere' | 'opened' | 'plannedMs'>;

/** The users of the piece. `coldNumbers`: catalog numbers of the items without events that count as seen, the same for all pieces. */
export async function scanUsers(
  { store, signal, range, elsewhere, opened: kept, plannedMs }: ScanRun,
  { project, model, catalog, recommender }: OpenedModel,
  blocks: BegunScan,
  coldNumbers: Uint32Array = new Uint32Array(0),
): Promise<UserScan> {
  const numbers = await kept.once('event numbers', () => {
    const coldIndex = new Map(Array.from(coldNumbers, (number, n) => [number, n]));
    const coldIndexOf = (itemId: string) => coldIndex.get(catalog.indexOf(itemId)) ?? -1;
    return eventNumbers({ events: store.events, eventDatasetId: project.event_dataset_id, model, coldIndexOf });
  });
  return new UserScan({
    events: store.events,
    users: store.users,
    eventDatasetId: project.event_dataset_id,
    userDatasetId: project.user_dataset_id,
    blocks,
    range,
    ...(elsewhere && { elsewhere }),
    model,
    numbers,
    historyLimit: recommender.historyLimit,
    nowMs: plannedMs,
    signal,
  });
}

/** Tastes of the users of a batch. */
export function openTastes(
  { opened }: Pick<PieceRun, 'opened'>,
  { model, recommender }: OpenedModel,
  users: number,
): Promise<TasteVectors> {
  const entries = Math.max(2 * recommender.historyLimit, users * 128);
  return opened.once('tastes', async () => new TasteVectors(model, { users, entries }));
}

async function readModel(blobs: BlobStore, key: string, modelId: string): Promise<G1Model> {
  try {
    return (await loadModel(await blobs.localFile(key))).model;
  } catch (error) {
    if (error instanceof ArtifactError) throw new JobFailure('MODEL_UNREADABLE', `Model ${modelId}: ${error.message}`);
    if (error instanceof BlobNotFound) {
      throw new JobFailure('MODEL_UNREADABLE', `The file of model ${modelId} is missing. Train the model again.`);
    }
    throw error;
  }
}

export function resultHead(run: InsightRun, modelId: string, totalUsers: number, populationUsers: number): ResultHead {
  return {
    job_id: run.job.job_id,
    project_id: run.job.project_id,
    model_id: modelId,
    created_ts: run.runtime.nowMs(),
    total_users: totalUsers,
    population_users: populationUsers,
  };
}
