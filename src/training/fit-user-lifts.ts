// What attributes of users say about items, learned from the user dataset and the users' target events: three streams over the
// users (what attributes look like, which features are worth keeping, what their users like), nothing kept but counts. And how
// much that should count next to a history, from what users with short histories turned to.

import type { LiftTables } from '../artifact/g1-model.ts';
import { grown } from '../base/grown.ts';
import { IdTable } from '../base/id-table.ts';
import { AttributeProfiler } from '../cold-start/attribute-binning.ts';
import { fitHistoryWeights, HISTORY_LENGTHS, type LengthChoices } from '../cold-start/fit-history-weights.ts';
import { LiftFitter } from '../cold-start/fit-lifts.ts';
import type { EventPart, TrainingEvents } from '../dataset/training-events.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import type { Project } from '../domain/project.ts';
import type { EventStore } from '../store/event-store.ts';
import type { RecordStore } from '../store/record-store.ts';
import { halfOf } from './halves.ts';
import type { ShortQuestions } from './short-questions.ts';

export interface UserLiftsInput {
  readonly users: RecordStore;
  readonly store: EventStore;
  readonly project: Pick<Project, 'user_dataset_id' | 'event_dataset_id'>;
  /** attributes it declares are not inferred */
  readonly schema: AttributeSchema | null;
  readonly events: TrainingEvents;
  /** the store's number of each user of the events */
  readonly userNumbers: Uint32Array;
  /** null if no questions were asked */
  readonly questions: ShortQuestions | null;
  readonly signal?: AbortSignal | undefined;
}

/** null when users have no attributes that say anything. */
export async function fitUserLifts(input: UserLiftsInput): Promise<LiftTables | null> {
  const { users, project, events, questions, signal } = input;
  const profiler = new AttributeProfiler(input.schema);
  for await (const block of users.scan(project.user_dataset_id)) {
    signal?.throwIfAborted();
    for (const { attributes } of block) profiler.observe(attributes);
  }
  const binnings = profiler.binnings();
  if (binnings.length === 0) return null;
  const fitter = new LiftFitter(binnings, events.itemCount);
  for await (const block of users.scan(project.user_dataset_id)) {
    signal?.throwIfAborted();
    for (const { attributes } of block) fitter.countFeatures(attributes);
  }
  fitter.begin();
  const rowOf = await rowsByUserId(input);
  const known = new KnownFeatures(events.userCount);
  for await (const block of users.scan(project.user_dataset_id)) {
    signal?.throwIfAborted();
    for (const { id, attributes } of block) {
      const row = rowOf(id);
      if (row >= 0) known.set(row, fitter.featuresOf(attributes));
    }
  }
  for await (const part of events.parts()) {
    signal?.throwIfAborted();
    for (let user = 0; user < part.userCount; user++) {
      const row = part.firstUser + user;
      const features = known.of(row);
      if (features !== null) fitter.add(features, targetItems(part, user), halfOf(row));
    }
  }
  const tables = fitter.finish();
  const choices = questions === null ? [] : choicesOf(questions, known, fitter);
  return tables && { ...tables, historyWeights: fitHistoryWeights(choices) };
}

/** Features of the users who have a record, in a few arrays: records do not come in the order of events. */
class KnownFeatures {
  /** place of the user's first feature; −1: no record */
  readonly #placeOf: Float64Array;
  /** for each user, the number of features followed by the features */
  #features = new Uint32Array(1024);
  #length = 0;

  constructor(userCount: number) {
    this.#placeOf = new Float64Array(userCount).fill(-1);
  }

  set(row: number, features: readonly number[]): void {
    if (this.#length + 1 + features.length > this.#features.length) {
      this.#features = grown(this.#features, new Uint32Array(Math.ceil(1.6 * this.#features.length) + features.length));
    }
    this.#placeOf[row] = this.#length;
    this.#features[this.#length++] = features.length;
    this.#features.set(features, this.#length);
    this.#length += features.length;
  }

  /** Returns null if the user has no record. */
  of(row: number): Uint32Array | null {
    const at = this.#placeOf[row];
    return at < 0 ? null : this.#features.subarray(at + 1, at + 1 + this.#features[at]);
  }
}

/**
 * Choices of each half of the users, with lifts from the tables of the other half, which their own choices did not
 * influence.
 */
function choicesOf(questions: ShortQuestions, known: KnownFeatures, fitter: LiftFitter): LengthChoices[] {
  const { options, rows, lengths, items, scores } = questions;
  return HISTORY_LENGTHS.map((length) => {
    const asked = [...rows.keys()].filter((n) => lengths[n] === length && (known.of(rows[n])?.length ?? 0) > 0);
    const choices = { length, options, scores: new Float32Array(asked.length * options) };
    const lifts = new Float32Array(asked.length * options);
    for (const [at, n] of asked.entries()) {
      choices.scores.set(scores.subarray(n * options, (n + 1) * options), at * options);
      const features = known.of(rows[n])!;
      for (let option = 0; option < options; option++) {
        const item = items[n * options + option];
        lifts[at * options + option] = fitter.unseenLift(halfOf(rows[n]), features, item);
      }
    }
    return { ...choices, lifts };
  });
}

/** −1 for a user without events */
async function rowsByUserId({ store, project, userNumbers }: UserLiftsInput): Promise<(userId: string) => number> {
  const datasetId = project.event_dataset_id;
  const rowOfNumber = new Int32Array(await store.internedCount(datasetId, 'user')).fill(-1);
  userNumbers.forEach((number, row) => {
    rowOfNumber[number] = row;
  });
  const ids = new IdTable();
  const rows = new Int32Array(userNumbers.length);
  let number = 0;
  for await (const block of store.internedIds(datasetId, 'user')) {
    for (const id of block) {
      const row = number < rowOfNumber.length ? rowOfNumber[number] : -1;
      if (row >= 0) rows[ids.intern(id)] = row;
      number++;
    }
  }
  return (userId) => rows[ids.indexOf(userId)] ?? -1;
}

/** Distinct items of the user's target events, newest first. */
function targetItems(table: EventPart, row: number): number[] {
  const items = new Set<number>();
  for (let event = table.userOffsets[row + 1] - 1; event >= table.userOffsets[row]; event--) {
    if (table.type[event] === table.targetType) items.add(table.item[event]);
  }
  return [...items];
}
