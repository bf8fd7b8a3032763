// Streams on SQLite; see stream-store.ts.
import type { Dataset } from '../../domain/dataset.ts';
import type { EntityRecord, EventRecord } from '../../domain/record.ts';
import { buffersOf, eventColumns, recordColumns } from '../../domain/record-columns.ts';
import type { UpsertOutcome } from '../record-store.ts';
import { streamPositions } from '../sql/stream-positions.ts';
import type { StreamPosition, StreamStep, StreamStore } from '../stream-store.ts';
import { sizeOf } from '../write-limits.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { targetOf, type UpsertEventsCommand, type UpsertRecordsCommand } from './write-protocol.ts';
import type { SqliteWriter } from './writer.ts';

export class SqliteStreamStore implements StreamStore {
  readonly #database: SqliteDatabase;
  readonly #writer: SqliteWriter;

  constructor(database: SqliteDatabase, writer: SqliteWriter) {
    this.#database = database;
    this.#writer = writer;
  }

  positions(datasetId?: string): Promise<StreamPosition[]> {
    return streamPositions(this.#database, datasetId);
  }

  appendEvents(dataset: Dataset, events: readonly EventRecord[], step: StreamStep): Promise<UpsertOutcome[] | null> {
    return this.#append(
      { kind: 'upsert-events', target: targetOf(dataset), columns: eventColumns(events) },
      events.length,
      step,
    );
  }

  appendRecords(dataset: Dataset, records: readonly EntityRecord[], step: StreamStep): Promise<UpsertOutcome[] | null> {
    return this.#append(
      { kind: 'upsert-records', target: targetOf(dataset), columns: recordColumns(records) },
      records.length,
      step,
    );
  }

  #append(upsert: UpsertEventsCommand | UpsertRecordsCommand, records: number, step: StreamStep) {
    const { target, columns } = upsert;
    const command = { kind: 'append' as const, target, upsert: records > 0 ? upsert : null, step };
    return this.#writer.submit(command, sizeOf(columns), records > 0 ? buffersOf(columns) : []);
  }
}
