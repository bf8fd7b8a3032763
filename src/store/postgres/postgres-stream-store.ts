// Streams on PostgreSQL; see stream-store.ts. The lock of the dataset, which every write takes, keeps two readers apart.
import type { Dataset } from '../../domain/dataset.ts';
import type { EntityRecord, EventRecord } from '../../domain/record.ts';
import { type EventColumns, eventColumns, type RecordColumns, recordColumns } from '../../domain/record-columns.ts';
import type { UpsertOutcome } from '../record-store.ts';
import { MOVE_SQL, moveParams, POSITION_SQL, streamPositions } from '../sql/stream-positions.ts';
import type { StreamPosition, StreamStep, StreamStore } from '../stream-store.ts';
import { sizeOf } from '../write-limits.ts';
import type { PostgresInterner } from './interner.ts';
import { numbered } from './placeholders.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import type { WriteContext } from './write-context.ts';
import { upsertEvents } from './write-events.ts';
import { upsertRecords } from './write-records.ts';
import { type BulkOperation, oneByOne, type PostgresWriter } from './writer.ts';

interface Append {
  columns: EventColumns | RecordColumns;
  records: number;
  step: StreamStep;
}

export class PostgresStreamStore implements StreamStore {
  readonly #database: PostgresDatabase;
  readonly #writer: PostgresWriter;
  readonly #append: BulkOperation<Append, UpsertOutcome[] | null>;

  constructor(database: PostgresDatabase, writer: PostgresWriter, interner: PostgresInterner) {
    this.#database = database;
    this.#writer = writer;
    this.#append = oneByOne((context, batch) => append(context, interner, batch));
  }

  positions(datasetId?: string): Promise<StreamPosition[]> {
    return streamPositions(this.#database, datasetId);
  }

  appendEvents(dataset: Dataset, events: readonly EventRecord[], step: StreamStep): Promise<UpsertOutcome[] | null> {
    const columns = eventColumns(events);
    return this.#writer.submit(dataset, this.#append, { columns, records: events.length, step }, sizeOf(columns));
  }

  appendRecords(dataset: Dataset, records: readonly EntityRecord[], step: StreamStep): Promise<UpsertOutcome[] | null> {
    const columns = recordColumns(records);
    return this.#writer.submit(dataset, this.#append, { columns, records: records.length, step }, sizeOf(columns));
  }
}

async function append(
  context: WriteContext,
  interner: PostgresInterner,
  { columns, records, step }: Append,
): Promise<UpsertOutcome[] | null> {
  const { client, target } = context;
  const { rows } = await client.query<{ next_offset: number }>(numbered(POSITION_SQL), [
    target.dataset_id,
    step.stream,
    step.partition,
  ]);
  if ((rows[0]?.next_offset ?? null) !== step.from) return null;
  const outcomes = records > 0 ? await upsert(context, interner, columns) : [];
  await client.query(numbered(MOVE_SQL), moveParams(target.dataset_id, step, outcomes));
  return outcomes;
}

async function upsert(
  context: WriteContext,
  interner: PostgresInterner,
  columns: EventColumns | RecordColumns,
): Promise<UpsertOutcome[]> {
  if (!('eventIds' in columns)) return (await upsertRecords(context, [columns]))[0];
  const [{ outcomes }] = await upsertEvents(context, interner, [columns]);
  return outcomes;
}
