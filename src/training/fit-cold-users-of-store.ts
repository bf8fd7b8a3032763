// What attributes of users say about items, learned from the user dataset and the users' target events: three streams over the
// users (what attributes look like, which features are worth keeping, what their users like), nothing kept but counts.

import type { LiftTables } from '../artifact/g1-model.ts';
import { AttributeProfiler } from '../cold-start/attribute-binning.ts';
import { LiftFitter } from '../cold-start/fit-lifts.ts';
import type { EventTable } from '../dataset/event-table.ts';
import { IdTable } from '../domain/id-table.ts';
import type { Project } from '../domain/project.ts';
import type { EventStore } from '../store/event-store.ts';
import type { RecordStore } from '../store/record-store.ts';

export async function fitColdUsers(
  users: RecordStore,
  events: EventStore,
  project: Pick<Project, 'user_dataset_id' | 'event_dataset_id'>,
  table: EventTable,
  userNumbers: Uint32Array,
  signal?: AbortSignal,
): Promise<LiftTables | null> {
  const profiler = new AttributeProfiler();
  for await (const block of users.scan(project.user_dataset_id)) {
    signal?.throwIfAborted();
    for (const { attributes } of block) profiler.observe(attributes);
  }
  const binnings = profiler.binnings();
  if (binnings.length === 0) return null;
  const fitter = new LiftFitter(binnings, table.itemCount);
  for await (const block of users.scan(project.user_dataset_id)) {
    signal?.throwIfAborted();
    for (const { attributes } of block) fitter.countFeatures(attributes);
  }
  fitter.begin();
  const rowOf = await rowsByUserId(events, project.event_dataset_id, userNumbers);
  for await (const block of users.scan(project.user_dataset_id)) {
    signal?.throwIfAborted();
    for (const { id, attributes } of block) {
      const row = rowOf(id);
      if (row >= 0) fitter.addUser(attributes, targetItems(table, row));
    }
  }
  return fitter.finish();
}

/** −1 for a user without events */
async function rowsByUserId(
  events: EventStore,
  datasetId: string,
  userNumbers: Uint32Array,
): Promise<(userId: string) => number> {
  const rowOfNumber = new Int32Array(await events.internedCount(datasetId, 'user')).fill(-1);
  userNumbers.forEach((number, row) => {
    rowOfNumber[number] = row;
  });
  const ids = new IdTable();
  const rows: number[] = [];
  let number = 0;
  for await (const block of events.internedIds(datasetId, 'user')) {
    for (const id of block) {
      const row = number < rowOfNumber.length ? rowOfNumber[number] : -1;
      if (row >= 0) rows[ids.intern(id)] = row;
      number++;
    }
  }
  return (userId) => rows[ids.indexOf(userId)] ?? -1;
}

/** Distinct items of the user's target events, newest first. */
function targetItems(table: EventTable, row: number): number[] {
  const items = new Set<number>();
  for (let event = table.userOffsets[row + 1] - 1; event >= table.userOffsets[row]; event--) {
    if (table.type[event] === table.targetType) items.add(table.item[event]);
  }
  return [...items];
}
