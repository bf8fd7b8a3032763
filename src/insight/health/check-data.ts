// Checks the data of a project: one pass over its events, one over its item records. Memory is bounded by the items, see
// event-counts.ts; whoever runs it can stop it between blocks.

import { HOUR_MS } from '../../base/durations.ts';
import { IdTable } from '../../base/id-table.ts';
import type { Runtime } from '../../base/runtime.ts';
import {
  type DataHealth,
  type HealthHours,
  MAX_HEALTH_EXAMPLES,
  MAX_HEALTH_TYPES,
  MAX_HOUR_TYPES,
  type TypeHealth,
} from '../../domain/data-health.ts';
import type { AttributeSchema } from '../../domain/dataset.ts';
import type { Project } from '../../domain/project.ts';
import type { EventStore } from '../../store/event-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { AttributeKinds } from './attribute-kinds.ts';
import { EventCounts } from './event-counts.ts';
import { findingsOf, type ItemHealth } from './findings.ts';

export interface HealthInput {
  readonly store: {
    readonly events: Pick<EventStore, 'scan' | 'internedIds' | 'internedCount'>;
    readonly items: Pick<RecordStore, 'scan' | 'deletedIds'>;
  };
  readonly project: Pick<Project, 'event_dataset_id' | 'item_dataset_id' | 'target_event_type'>;
  readonly eventShards: number;
  /** the declared attributes of items */
  readonly itemSchema: AttributeSchema | null;
  readonly runtime: Pick<Runtime, 'nowMs' | 'monotonicMs'>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number, events: number) => void;
}

const BLOCK_EVENTS = 65_536;
/** Share of reading events in the progress. */
const EVENTS_FRACTION = 0.8;

export async function checkData(input: HealthInput): Promise<DataHealth> {
  const { store, project, runtime } = input;
  const nowMs = runtime.nowMs();
  const startedMs = runtime.monotonicMs();
  const typeNames = await allIds(store.events, project.event_dataset_id, 'type');
  const counts = await countEvents(input, typeNames.length, nowMs);
  const items = await checkItems(input, counts);
  const types = typeNames
    .map((event_type, number) => ({ event_type, count: counts.byType[number], number }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  const known: TypeHealth[] = types.map(({ event_type, count }) => ({ event_type, count }));
  return {
    checked_ts: nowMs,
    took_ms: Math.round(runtime.monotonicMs() - startedMs),
    events: counts.events,
    users: counts.users,
    items: items.withEvents,
    item_records: items.records,
    users_with_one_event: counts.usersWithOneEvent,
    first_ts: counts.events === 0 ? null : counts.firstTs,
    last_ts: counts.events === 0 ? null : counts.lastTs,
    types: known.slice(0, MAX_HEALTH_TYPES),
    hours: hoursOf(counts, types),
    findings: findingsOf({ counts, types: known, items, targetType: project.target_event_type }),
  };
}

async function countEvents(input: HealthInput, types: number, nowMs: number): Promise<EventCounts> {
  const { store, project, eventShards, signal, onProgress } = input;
  const datasetId = project.event_dataset_id;
  const counts = new EventCounts({ items: await store.events.internedCount(datasetId, 'item'), types, nowMs });
  for (let shard = 0; shard < eventShards; shard++) {
    for await (const block of store.events.scan(datasetId, { from: shard, to: shard + 1 }, BLOCK_EVENTS)) {
      signal?.throwIfAborted();
      counts.add(block);
    }
    onProgress?.((EVENTS_FRACTION * (shard + 1)) / eventShards, counts.events);
  }
  counts.finish();
  return counts;
}

/** Compares the items of events with the records of items. */
async function checkItems(
  { store, project, itemSchema, signal }: HealthInput,
  counts: EventCounts,
): Promise<ItemHealth> {
  const ids = new IdTable();
  const eventsOf: number[] = [];
  let number = 0;
  let duplicateItem: string | null = null;
  for await (const block of store.events.internedIds(project.event_dataset_id, 'item')) {
    signal?.throwIfAborted();
    for (const id of block) {
      const events = counts.byItem[number] ?? 0;
      if (number === counts.duplicateItem) duplicateItem = id;
      number++;
      if (events === 0) continue;
      ids.append(id);
      eventsOf.push(events);
    }
  }
  const isKnown = new Uint8Array(ids.length);
  const mark = (id: string): void => {
    const at = ids.indexOf(id);
    if (at >= 0) isKnown[at] = 1;
  };
  const kinds = new AttributeKinds(itemSchema);
  const health = { records: 0, bare: 0, bareExamples: [] as string[] };
  for await (const block of store.items.scan(project.item_dataset_id)) {
    signal?.throwIfAborted();
    for (const { id, attributes } of block) {
      health.records++;
      mark(id);
      kinds.add(id, attributes);
      if (!isBare(attributes)) continue;
      health.bare++;
      if (health.bareExamples.length < MAX_HEALTH_EXAMPLES) health.bareExamples.push(id);
    }
  }
  // Deleted items are not reported: whoever deletes one knows that its events remain.
  for await (const block of store.items.deletedIds(project.item_dataset_id)) for (const id of block) mark(id);
  const unknown: { id: string; events: number }[] = [];
  let [unknownItems, unknownEvents] = [0, 0];
  for (let at = 0; at < ids.length; at++) {
    if (isKnown[at] === 1) continue;
    unknownItems++;
    unknownEvents += eventsOf[at];
    if (unknown.length === MAX_HEALTH_EXAMPLES && eventsOf[at] <= unknown[MAX_HEALTH_EXAMPLES - 1].events) continue;
    unknown.push({ id: ids.at(at)!, events: eventsOf[at] });
    unknown.sort((a, b) => b.events - a.events);
    unknown.length = Math.min(unknown.length, MAX_HEALTH_EXAMPLES);
  }
  return {
    withEvents: ids.length,
    duplicateItem,
    ...health,
    mixed: kinds.mixed(),
    unknownItems,
    unknownEvents,
    unknownExamples: unknown.map(({ id }) => id),
  };
}

const isBare = (attributes: Record<string, unknown>): boolean =>
  Object.values(attributes).every((value) => value === null || value === '');

function hoursOf(counts: EventCounts, types: readonly (TypeHealth & { number: number })[]): HealthHours | null {
  const hours = counts.hours();
  if (hours === null) return null;
  const shown = types.filter(({ number }) => counts.hasHours(number)).slice(0, MAX_HOUR_TYPES);
  const others = types.filter((type) => !shown.includes(type));
  const rows = shown.map(({ event_type, number }) => ({ event_type, counts: hours.of(number) }));
  if (others.length > 0) {
    const sum = hours.others();
    for (const { number } of others) {
      for (const [n, count] of hours.of(number).entries()) sum[n] += count;
    }
    rows.push({ event_type: '', counts: sum });
  }
  return { from_ts: hours.fromHour * HOUR_MS, types: rows.filter((row) => row.counts.some((count) => count > 0)) };
}

async function allIds(events: HealthInput['store']['events'], datasetId: string, kind: 'type'): Promise<string[]> {
  const ids: string[] = [];
  for await (const block of events.internedIds(datasetId, kind)) ids.push(...block);
  return ids;
}
