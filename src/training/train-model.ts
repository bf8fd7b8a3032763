// Entry of training: events of a project's dataset → fitted model, its offline figures and the facts of the run.
import { availableParallelism } from 'node:os';
import type { G1Model } from '../artifact/g1-model.ts';
import { IdTable } from '../base/id-table.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { systemMemoryBytes } from '../base/system.ts';
import { traced } from '../base/trace.ts';
import { eventClockMs } from '../dataset/event-clock.ts';
import type { BlockRoom } from '../dataset/history-blocks.ts';
import type { ItemRoom } from '../dataset/kept-items.ts';
import { readStoredEvents, type StoreNumbers } from '../dataset/read-store.ts';
import { type TrainingEvents, upToNow } from '../dataset/training-events.ts';
import type { AlgorithmParameters } from '../domain/algorithm-parameters.ts';
import type { ModelComparison } from '../domain/automation.ts';
import { rounded } from '../domain/compare.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import { JobFailure } from '../domain/job.ts';
import type { Model } from '../domain/model.ts';
import type { Project } from '../domain/project.ts';
import { KernelMemory, MAX_MEMORY_BYTES } from '../kernels/kernel-memory.ts';
import { KernelPool } from '../kernels/kernel-pool.ts';
import { fitRelations } from '../relations/fit-relations.ts';
import { recordlessRule } from '../scoring/listed-items.ts';
import type { EventStore } from '../store/event-store.ts';
import type { RecordStore } from '../store/record-store.ts';
import { compareModels, type Rival } from './compare-models.ts';
import { fitContextLifts } from './fit-context-lifts.ts';
import { type Aggregate, type FittedModel, fitModel } from './fit-model.ts';
import { fitUserLifts } from './fit-user-lifts.ts';
import { itemRoom } from './item-room.ts';
import { type ProgressListener, type Spent, TrainingClock } from './training-clock.ts';

export type { ProgressListener } from './training-clock.ts';

export interface TrainModelInput {
  readonly store: { readonly events: EventStore; readonly items: RecordStore; readonly users?: RecordStore };
  readonly project: Pick<
    Project,
    'event_dataset_id' | 'item_dataset_id' | 'user_dataset_id' | 'target_event_type' | 'account_id'
  >;
  /** num_shards of the event dataset */
  readonly eventShards: number;
  /** settings of the attributes of users and events, if their datasets define them */
  readonly userSchema?: AttributeSchema | null;
  readonly eventSchema?: AttributeSchema | null;
  readonly parameters: AlgorithmParameters;
  /** compared with the new model; left out or null: no comparison */
  readonly rival?: Rival | null;
  /** counts over all events, given the store's numbers of users; if left out, this machine counts */
  readonly aggregate?: (numbers: StoreNumbers) => Aggregate;
  /** memory it may use; if left out, as much as its largest step can address */
  readonly memoryBytes?: number;
  /** events in memory at a time; left out: a share of that memory */
  readonly partEvents?: number;
  /** bytes of histories in memory at a time; left out: what is free */
  readonly blockBytes?: number;
  /** items that have rows; left out: as many as fit in that memory */
  readonly mostItems?: number;
  /** folder for data that does not fit in memory; if left out, the system's temporary folder */
  readonly scratchDir?: string;
  /** default: the machine's cores */
  readonly threads?: number;
  readonly onProgress?: ProgressListener;
  readonly signal?: AbortSignal;
  readonly runtime?: Runtime;
}

/** Facts of a run, as the model record carries them in `training`. */
export interface TrainingFacts extends Record<string, unknown>, Spent {
  events: number;
  /** all events regardless of their value: the size of the dataset when it was read */
  events_read: number;
  /** the model has seen no event after this time */
  trained_until_ts: number;
  users: number;
  items: number;
  /** items with events for which there was no room, if any: they count as new ones */
  items_left_out?: number;
  peak_memory_mb: number;
  threads: number;
  /** settings in force, given or chosen by auto */
  settings: Readonly<Record<string, unknown>>;
}

export interface TrainedModel {
  readonly model: G1Model;
  readonly metrics: Model['metrics'];
  readonly training: TrainingFacts;
  readonly comparison: ModelComparison | null;
}

/** With fewer events the calling thread does the work, because starting threads would cost more. */
const SMALL_EVENTS = 20_000;

/**
 * Throws JobFailure if the data is not sufficient for a model (says what was found and what is needed), and the signal's reason
 * if it is aborted.
 */
export async function trainModel(input: TrainModelInput): Promise<TrainedModel> {
  const { store, project, parameters, signal, runtime = systemRuntime } = input;
  const clock = new TrainingClock(input.onProgress, signal, runtime);
  const startedMs = runtime.nowMs();
  clock.begin('read', 0, 'Reading events');
  const room = { folder: input.scratchDir, blockBytes: input.blockBytes };
  const partEvents = input.partEvents ?? heldEventsIn(input.memoryBytes ?? systemMemoryBytes());
  await using read = await traced('read events', () =>
    readStoredEvents(store.events, project.event_dataset_id, {
      shards: input.eventShards,
      targetEventType: project.target_event_type,
      room: { folder: input.scratchDir, partEvents },
      itemRoom: itemRoomOf(input, partEvents),
      onProgress: (fraction, events) => clock.tell(0.02 * fraction, `Read ${events.toLocaleString('en')} events`),
      ...(signal ? { signal } : {}),
    }),
  );
  const { userNumbers, eventsRead, itemsLeftOut } = read;
  const clockMs = await eventClockMs(read.events, startedMs);
  const all = await upToNow(read.events, clockMs);
  if (eventsRead === 0) {
    throw new JobFailure('NO_EVENTS', 'The event dataset has no events. Import events of the target type, then train.');
  }
  const threads = all.length < SMALL_EVENTS ? 1 : (input.threads ?? availableParallelism());
  const memory = new KernelMemory(bytesOfKernels(input, Math.min(all.length + all.dislikeCount, partEvents)));
  const pool = new KernelPool(threads, { memory, ...(signal && { signal }) });
  try {
    const items = () => store.items.scan(project.item_dataset_id);
    const fitted = await traced('fit model', () =>
      fitModel(pool, { events: all, items, aggregate: input.aggregate?.(read), room }, parameters, clock),
    );
    clock.begin('relations', 0.94, 'Finding which items go together');
    const relations = await traced('fit relations', () => fitRelations(pool, all, fitted.model.seed));
    clock.begin('catalog', 0.96, 'Adding items and users without events');
    const { itemIds, recordlessItems } = await withCatalogItems(
      all.itemIds,
      store.items,
      project.item_dataset_id,
      signal,
    );
    const { users, events } = store;
    const schema = input.userSchema ?? null;
    const questions = fitted.shortQuestions ?? null;
    const lifted = { project, userNumbers, questions, signal };
    const coldUsers = users ? await fitUserLifts({ ...lifted, users, store: events, events: all, schema }) : null;
    const context = await fitContextLifts({
      ...lifted,
      events,
      schema: input.eventSchema ?? null,
      itemIds: all.itemIds,
      itemCount: all.itemCount,
    });
    const comparison = input.rival ? await compareWith(input.rival, { events: all, fitted, pool, room }, clock) : null;
    const metrics = fitted.metrics && { ...fitted.metrics, relations: relations.metrics };
    const model: G1Model = {
      ...fitted.model,
      itemIds,
      recordlessItems,
      coldUsers,
      context,
      relations: relations.rows,
      metrics: metrics && { ...metrics },
      settings: {
        ...fitted.model.settings,
        user_attribute_weights: coldUsers?.historyWeights ?? null,
        context_weight: context === null ? null : rounded(context.weight!),
        context_weight_alone: context === null ? null : rounded(context.weightAlone!),
      },
    };
    const training: TrainingFacts = {
      events: all.length,
      events_read: eventsRead,
      trained_until_ts: Math.min(clockMs, Math.max(0, fitted.facts.newestTs)),
      users: all.userCount,
      items: all.itemCount,
      ...(itemsLeftOut > 0 && { items_left_out: itemsLeftOut }),
      ...clock.finish(),
      peak_memory_mb: peakMemoryMb(),
      threads,
      settings: model.settings,
    };
    return { model, metrics, training, comparison };
  } finally {
    await pool.close();
  }
}

function compareWith(
  rival: Rival,
  { events, fitted, pool, room }: { events: TrainingEvents; fitted: FittedModel; pool: KernelPool; room: BlockRoom },
  clock: TrainingClock,
): Promise<ModelComparison> {
  clock.begin('compare', 0.97, 'Comparing with the deployed model on new events');
  const { recipe, model } = fitted;
  return compareModels(pool, { events, model, recipe, rival, room });
}

/** Bytes of an event in memory: its columns, and whether it is held out. A dislike has 16. */
const EVENT_BYTES = 18;
/** Share of the memory for kernels. The rest is for the model and for data that is read. */
const KERNEL_SHARE = 0.58;
/** The rows of a large catalog need this much, however few histories are in memory at a time. */
const LEAST_KERNEL_BYTES = 2.5e9;

/**
 * Share of a training's memory for events. More events are kept in files. While events are sorted they are in memory
 * twice.
 */
const EVENT_SHARE = 0.25;

export function heldEventsIn(memoryBytes: number): number {
  return Math.floor((EVENT_SHARE * memoryBytes) / EVENT_BYTES);
}

function bytesOfKernels({ memoryBytes }: Pick<TrainModelInput, 'memoryBytes'>, events: number): number {
  if (memoryBytes === undefined) return MAX_MEMORY_BYTES;
  return Math.min(MAX_MEMORY_BYTES, kernelBytes(memoryBytes, events));
}

/** `partEvents`: how many are in memory at a time; left out: all. */
export function itemRoomOf(
  input: Pick<TrainModelInput, 'mostItems' | 'memoryBytes'>,
  partEvents = Number.POSITIVE_INFINITY,
): ItemRoom {
  const { mostItems, memoryBytes = systemMemoryBytes() } = input;
  if (mostItems !== undefined) return { least: mostItems, fit: () => mostItems };
  return itemRoom((events) => {
    const held = Math.min(events, partEvents);
    const kernels = bytesOfKernels(input, held);
    return { kernelBytes: kernels, modelBytes: memoryBytes - EVENT_BYTES * held - kernels };
  });
}

/** Memory that kernels may use in a training. `events`: the number of events that are in memory too. */
export function kernelBytes(memoryBytes: number, events: number): number {
  return Math.max(LEAST_KERNEL_BYTES, KERNEL_SHARE * (memoryBytes - EVENT_BYTES * events));
}

/** The process's largest resident memory so far. */
export function peakMemoryMb(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

/** Items of the catalog that have no events come after those that have. Decides too which items without a record may be recommended. */
async function withCatalogItems(
  warm: G1Model['itemIds'],
  items: RecordStore,
  datasetId: string,
  signal: AbortSignal | undefined,
): Promise<Pick<Required<G1Model>, 'itemIds' | 'recordlessItems'>> {
  const ids = new IdTable();
  for (let index = 0; index < warm.length; index++) ids.intern(warm.at(index)!);
  let warmWithRecord = 0;
  for await (const block of items.scan(datasetId)) {
    signal?.throwIfAborted();
    for (const { id } of block) if (ids.intern(id) < warm.length) warmWithRecord++;
  }
  return { itemIds: ids, recordlessItems: recordlessRule(warm.length, warmWithRecord) };
}
