// What the circumstances of events say about items: the attributes of target events, read in blocks, the newest first. A sample
// says what attributes look like and which values are worth keeping; then counts of (value, item) are all that is kept.
import type { LiftTables } from '../artifact/g1-model.ts';
import { AttributeProfiler } from '../cold-start/attribute-binning.ts';
import { LiftFitter } from '../cold-start/fit-lifts.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import type { Project } from '../domain/project.ts';
import type { Attributes } from '../domain/record.ts';
import type { EventStore } from '../store/event-store.ts';

export interface ContextLiftsInput {
  readonly events: EventStore;
  readonly project: Pick<Project, 'event_dataset_id' | 'target_event_type'>;
  /** what it says is not inferred */
  readonly schema: AttributeSchema | null;
  readonly itemIds: { indexOf(id: string): number };
  readonly itemCount: number;
  readonly signal?: AbortSignal | undefined;
}

/** Target events that say what attributes look like. */
const SAMPLED_EVENTS = 50_000;
/** The newest events that are looked at, target events or not, with attributes or without. */
const NEWEST_EVENTS = 2_000_000;
/** The same few texts come again and again: those up to this length are parsed once. */
const KEPT_LENGTH = 256;
const KEPT_TEXTS = 20_000;

/** null when target events have no attributes that say anything. */
export async function fitContextLifts(input: ContextLiftsInput): Promise<LiftTables | null> {
  const profiler = new AttributeProfiler(input.schema);
  const targetType = await targetTypeNumber(input);
  if (targetType < 0) return null;
  await readTargets(input, targetType, SAMPLED_EVENTS, ({ text }) => profiler.observe(JSON.parse(text)));
  const binnings = profiler.binnings();
  if (binnings.length === 0) return null;
  const fitter = new LiftFitter(binnings, input.itemCount);
  await readTargets(input, targetType, SAMPLED_EVENTS, ({ text }) => fitter.countFeatures(JSON.parse(text)));
  fitter.begin();
  const indexOf = await itemIndices(input);
  const kept = new Map<string, readonly number[]>();
  await readTargets(input, targetType, NEWEST_EVENTS, ({ user, item, text }) => {
    if (indexOf[item] < 0) return;
    let features = kept.get(text);
    if (features === undefined) {
      features = fitter.featuresOf(JSON.parse(text) as Attributes);
      if (text.length <= KEPT_LENGTH && kept.size < KEPT_TEXTS) kept.set(text, features);
    }
    // By user: what somebody does every day must not look like a rule that holds for others.
    fitter.add(features, [indexOf[item]], user % 2 === 0 ? 0 : 1);
  });
  return fitter.finish();
}

interface ContextEvent {
  readonly user: number;
  readonly item: number;
  /** attributes as JSON */
  readonly text: string;
}

async function readTargets(
  { events, project, signal }: ContextLiftsInput,
  targetType: number,
  limit: number,
  visit: (event: ContextEvent) => void,
): Promise<void> {
  let visited = 0;
  const blocks = events.attributeBlocks(project.event_dataset_id, NEWEST_EVENTS);
  for await (const { length, user, item, type, attributes } of blocks) {
    signal?.throwIfAborted();
    for (let row = 0; row < length && visited < limit; row++) {
      if (type[row] !== targetType) continue;
      visited++;
      visit({ user: user[row], item: item[row], text: attributes[row] });
    }
    if (visited >= limit) return;
  }
}

async function targetTypeNumber({ events, project }: ContextLiftsInput): Promise<number> {
  let number = 0;
  for await (const block of events.internedIds(project.event_dataset_id, 'type')) {
    const at = block.indexOf(project.target_event_type);
    if (at >= 0) return number + at;
    number += block.length;
  }
  return -1;
}

/** Warm index by the store's number of the item; −1 where the model does not know it. */
async function itemIndices({ events, project, itemIds, itemCount }: ContextLiftsInput): Promise<Int32Array> {
  const datasetId = project.event_dataset_id;
  const indices = new Int32Array(await events.internedCount(datasetId, 'item')).fill(-1);
  let number = 0;
  for await (const block of events.internedIds(datasetId, 'item', { from: 0, to: indices.length })) {
    for (const id of block) {
      const index = itemIds.indexOf(id);
      indices[number++] = index < itemCount ? index : -1;
    }
  }
  return indices;
}
