// What a dataset's attributes look like, from a bounded sample of its records. The inferred schema stands in every answer
// about a dataset, so it is remembered until the dataset has changed.
import { performance } from 'node:perf_hooks';
import { AttributeSummary } from '../domain/attribute-summary.ts';
import type { AttributeSchema, Dataset } from '../domain/dataset.ts';
import type { Store } from '../store/store.ts';

const SCHEMA_SAMPLE = 100;
const STATISTICS_SAMPLE = 20_000;
/** Events stream in: their sample is kept a moment whatever comes, and not much longer, as one may replace another. */
const MIN_EVENT_SAMPLE_AGE_MS = 1_000;
const MAX_EVENT_SAMPLE_AGE_MS = 10_000;
const MAX_REMEMBERED = 10_000;

type Records = Pick<Store, 'users' | 'items' | 'events'>;

export class AttributeSamples {
  readonly #records: Records;
  readonly #remembered = new Map<string, { version: number; takenMs: number; schema: AttributeSchema }>();

  constructor(records: Records) {
    this.#records = records;
  }

  async inferredSchema(dataset: Dataset): Promise<AttributeSchema> {
    if (dataset.num_records === 0) return {};
    const isEvents = dataset.kind === 'event';
    const version = isEvents ? dataset.num_records : await this.#entities(dataset).version(dataset.dataset_id);
    const known = this.#remembered.get(dataset.dataset_id);
    if (known && this.#isFresh(known, version, isEvents)) return known.schema;

    const summary = new AttributeSummary();
    const page = { page_size: SCHEMA_SAMPLE, page_token: null };
    const { entries } =
      dataset.kind === 'event'
        ? await this.#records.events.list(dataset.dataset_id, page)
        : await this.#entities(dataset).list(dataset.dataset_id, page);
    for (const { attributes } of entries) summary.add(attributes);
    const schema = summary.schema();
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value!);
    this.#remembered.set(dataset.dataset_id, { version, takenMs: performance.now(), schema });
    return schema;
  }

  #isFresh(known: { version: number; takenMs: number }, version: number, isEvents: boolean): boolean {
    if (!isEvents) return known.version === version;
    const ageMs = performance.now() - known.takenMs;
    return ageMs < (known.version === version ? MAX_EVENT_SAMPLE_AGE_MS : MIN_EVENT_SAMPLE_AGE_MS);
  }

  /** Summary of up to STATISTICS_SAMPLE records. */
  async summary(dataset: Dataset): Promise<AttributeSummary> {
    const summary = new AttributeSummary();
    if (dataset.kind === 'event') {
      let page_token: string | null = null;
      do {
        const page = await this.#records.events.list(dataset.dataset_id, { page_size: 1000, page_token });
        for (const { attributes } of page.entries) summary.add(attributes);
        page_token = page.next_page_token;
      } while (page_token !== null && summary.records < STATISTICS_SAMPLE);
      return summary;
    }
    for await (const block of this.#entities(dataset).scan(dataset.dataset_id, 1000)) {
      for (const { attributes } of block) summary.add(attributes);
      if (summary.records >= STATISTICS_SAMPLE) break;
    }
    return summary;
  }

  #entities(dataset: Dataset) {
    return dataset.kind === 'user' ? this.#records.users : this.#records.items;
  }
}
