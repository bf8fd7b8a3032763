// Stores the checked events of a page or of Segment, and counts what became of them.
import type { Dataset, DatasetKind } from '../domain/dataset.ts';
import type { EventRecord, RecordFailure } from '../domain/record.ts';
import type { RecordBatch } from '../domain/record-batch.ts';
import { withRefused } from '../domain/record-refusal.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Store } from '../store/store.ts';

export interface EventParts {
  store: Pick<Store, 'events'>;
  metrics: Metrics;
}

export async function storeEvents(
  { store, metrics }: EventParts,
  dataset: Dataset,
  batch: RecordBatch<EventRecord>,
): Promise<{ storedIds: string[]; failures: RecordFailure[] }> {
  const { records, indexes } = batch;
  const { outcomes } = records.length > 0 ? await store.events.upsert(dataset, records) : { outcomes: [] };
  const storedIds = records.flatMap(({ event_id }, n) => (outcomes[n] === 'stored' ? [event_id] : []));
  const placeOf = (n: number) => ({ index: indexes[n], id: records[n].event_id });
  const failures = withRefused(batch.failures, outcomes, dataset, placeOf);
  countRecords(metrics, 'event', storedIds.length, failures);
  return { storedIds, failures };
}

export function countRecords(
  metrics: Metrics,
  kind: DatasetKind,
  stored: number,
  failures: readonly { code: string }[],
): void {
  if (stored > 0) metrics.recordsStored.inc({ kind }, stored);
  const counts = new Map<string, number>();
  for (const { code } of failures) counts.set(code, (counts.get(code) ?? 0) + 1);
  for (const [code, count] of counts) metrics.recordsFailed.inc({ kind, code }, count);
}
