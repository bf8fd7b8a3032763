// What the circumstances of events say about items: the attributes of target events, read once in blocks, the newest first. The first
// of them say what attributes look like and which values are worth keeping; of all, counts of (value, item) are kept. And how
// much that should count next to a history, from what users turned to in circumstances that are known.
import type { LiftTables } from '../artifact/g1-model.ts';
import { AttributeProfiler } from '../cold-start/attribute-binning.ts';
import { type Choices, weightTowards } from '../cold-start/fit-choice-weight.ts';
import { LiftFitter } from '../cold-start/fit-lifts.ts';
import type { AttributeSchema } from '../domain/dataset.ts';
import type { Attributes } from '../domain/record.ts';
import { type ContextEvent, type ContextEventsInput, contextBlocks, contextSample } from './context-events.ts';
import { halfOf } from './halves.ts';
import { type ShortQuestions, WHOLE } from './short-questions.ts';

export interface ContextLiftsInput extends ContextEventsInput {
  /** attributes it declares are not inferred */
  readonly schema: AttributeSchema | null;
  readonly itemIds: { indexOf(id: string): number };
  readonly itemCount: number;
  /** number of the user of each row of the questions */
  readonly userNumbers: Uint32Array;
  /** null if no questions were asked; then lifts count in full */
  readonly questions: ShortQuestions | null;
}

/** The same few texts repeat often. Those up to this length are parsed once. */
const KEPT_LENGTH = 256;
const KEPT_TEXTS = 20_000;

/** null when target events have no attributes that say anything. */
export async function fitContextLifts(input: ContextLiftsInput): Promise<LiftTables | null> {
  await using blocks = contextBlocks(input);
  const sample = await contextSample(blocks);
  const profiler = new AttributeProfiler(input.schema);
  for (const { text } of sample) profiler.observe(JSON.parse(text));
  const binnings = profiler.binnings();
  if (binnings.length === 0) return null;
  const fitter = new LiftFitter(binnings, input.itemCount);
  for (const { text } of sample) fitter.countFeatures(JSON.parse(text));
  fitter.begin();
  const indexOf = await itemIndices(input);
  const asked = new AskedContexts(input);
  const kept = new Map<string, readonly number[]>();
  const count = ({ user, item, text }: ContextEvent) => {
    // An item that is newer than the list of items has no index.
    const index = indexOf[item] ?? -1;
    if (index < 0) return;
    let features = kept.get(text);
    if (features === undefined) {
      features = fitter.featuresOf(JSON.parse(text) as Attributes);
      if (text.length <= KEPT_LENGTH && kept.size < KEPT_TEXTS) kept.set(text, features);
    }
    fitter.add(features, [index], halfOf(user));
    asked.meet(user, index, features);
  };
  for (const event of sample) count(event);
  for await (const block of blocks) for (const event of block) count(event);
  const tables = fitter.finish();
  const weightAfter = (length: number) => weightTowards(asked.choices(fitter, length), UNLEARNED);
  return tables && { ...tables, weight: weightAfter(WHOLE), weightAlone: weightAfter(0) };
}

/** Taken where no question is known to have been asked in circumstances that tables know: a lift is worth what it says. */
const UNLEARNED = { mean: 1, deviation: 0.5 };

/** The circumstances in which users chose what was held out: those of the newest target event with the item. */
class AskedContexts {
  readonly #questions: ShortQuestions;
  readonly #numbers: Uint32Array;
  /** places of the questions about a user and an item */
  readonly #placesOf = new Map<string, number[]>();
  readonly #featuresOf = new Map<number, readonly number[]>();

  constructor({ questions, userNumbers }: Pick<ContextLiftsInput, 'questions' | 'userNumbers'>) {
    const nothing = new Uint32Array(0);
    this.#questions = questions ?? { options: 1, rows: nothing, lengths: nothing, items: nothing, scores: NO_SCORES };
    this.#numbers = userNumbers;
    const { rows, lengths, items, options } = this.#questions;
    for (const [n, row] of rows.entries()) {
      if (lengths[n] !== WHOLE && lengths[n] !== 0) continue;
      const key = `${userNumbers[row]} ${items[n * options]}`;
      this.#placesOf.set(key, [...(this.#placesOf.get(key) ?? []), n]);
    }
  }

  /** Must be called with the newest events first. */
  meet(user: number, item: number, features: readonly number[]): void {
    if (features.length === 0 || this.#placesOf.size === 0) return;
    for (const place of this.#placesOf.get(`${user} ${item}`) ?? []) {
      if (!this.#featuresOf.has(place)) this.#featuresOf.set(place, features);
    }
  }

  /**
   * Choices after histories of this length. Lifts come from the tables of the other half, which a user's own choices
   * did not influence.
   */
  choices(fitter: LiftFitter, length: number): Choices {
    const { options, rows, lengths, items, scores } = this.#questions;
    const lifts: number[] = [];
    const own: number[] = [];
    for (const [place, features] of this.#featuresOf) {
      if (lengths[place] !== length) continue;
      for (let at = place * options; at < (place + 1) * options; at++) {
        own.push(scores[at]);
        lifts.push(fitter.unseenLift(halfOf(this.#numbers[rows[place]]), features, items[at]));
      }
    }
    return { options, scores: Float32Array.from(own), lifts: Float32Array.from(lifts) };
  }
}

const NO_SCORES = new Float32Array(0);

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
