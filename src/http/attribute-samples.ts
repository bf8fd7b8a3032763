// Infers the schema of a dataset's attributes from a bounded sample of its records. The schema is part of every
// response about a dataset, so it is cached until the dataset changes.

import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { ownTurn } from '../base/turns.ts';
import { AttributeSummary } from '../domain/attribute-summary.ts';
import type { AttributeSchema, Dataset } from '../domain/dataset.ts';
import type { EventRecord } from '../domain/record.ts';
import type { Page, PageRequest } from '../store/page.ts';
import type { Store } from '../store/store.ts';

const SCHEMA_SAMPLE = 100;
const STATISTICS_SAMPLE = 20_000;
/** Records read and summarized per step. */
const STEP_BYTES = 512 * 1024;
const STATISTICS_STEPS = 50;
/** Events keep arriving, so their sample is cached for a fixed short time instead of until the next change. */
const MIN_EVENT_SAMPLE_AGE_MS = 1_000;
const MAX_EVENT_SAMPLE_AGE_MS = 10_000;
const CACHE_BYTES = 16 * 1024 * 1024;
const ATTRIBUTE_BYTES = 50;

type Records = Pick<Store, 'users' | 'items' | 'events'>;
interface Remembered {
  version: number;
  takenMs: number;
  schema: AttributeSchema;
}
type Sampled = Pick<EventRecord, 'attributes'>;

export class AttributeSamples {
  readonly #records: Records;
  readonly #runtime: Runtime;
  readonly #remembered = new BoundedCache<string, Remembered>({
    name: 'inferred_schemas',
    maxBytes: CACHE_BYTES,
    bytesOf: ({ schema }, datasetId) =>
      Object.keys(schema).reduce((sum, name) => sum + textBytes(name) + ATTRIBUTE_BYTES, textBytes(datasetId)),
  });

  constructor(records: Records, runtime: Runtime = systemRuntime) {
    this.#records = records;
    this.#runtime = runtime;
  }

  async inferredSchema(dataset: Dataset): Promise<AttributeSchema> {
    if (dataset.num_records === 0) return {};
    const isEvents = dataset.kind === 'event';
    const version = isEvents ? dataset.num_records : await this.#entities(dataset).version(dataset.dataset_id);
    const known = this.#remembered.get(dataset.dataset_id);
    if (known && this.#isFresh(known, version, isEvents)) return known.schema;

    const summary = new AttributeSummary();
    const page = { page_size: SCHEMA_SAMPLE, page_token: null, max_bytes: STEP_BYTES };
    const { entries } = await this.#list(dataset, page);
    for (const { attributes } of entries) summary.add(attributes);
    const schema = summary.schema();
    this.#remembered.set(dataset.dataset_id, { version, takenMs: this.#runtime.monotonicMs(), schema });
    return schema;
  }

  #isFresh(known: { version: number; takenMs: number }, version: number, isEvents: boolean): boolean {
    if (!isEvents) return known.version === version;
    const ageMs = this.#runtime.monotonicMs() - known.takenMs;
    return ageMs < (known.version === version ? MAX_EVENT_SAMPLE_AGE_MS : MIN_EVENT_SAMPLE_AGE_MS);
  }

  /** Summarizes up to STATISTICS_SAMPLE records, in short steps. */
  async summary(dataset: Dataset): Promise<AttributeSummary> {
    const summary = new AttributeSummary();
    let page_token: string | null = null;
    for (let step = 0; step < STATISTICS_STEPS && summary.records < STATISTICS_SAMPLE; step++) {
      const page: Page<Sampled> = await this.#list(dataset, { page_size: 1000, page_token, max_bytes: STEP_BYTES });
      for (const { attributes } of page.entries) summary.add(attributes);
      page_token = page.next_page_token;
      if (page_token === null) break;
      await ownTurn();
    }
    return summary;
  }

  #list(dataset: Dataset, page: PageRequest): Promise<Page<Sampled>> {
    return dataset.kind === 'event'
      ? this.#records.events.list(dataset.dataset_id, page)
      : this.#entities(dataset).list(dataset.dataset_id, page);
  }

  #entities(dataset: Dataset) {
    return dataset.kind === 'user' ? this.#records.users : this.#records.items;
  }
}
