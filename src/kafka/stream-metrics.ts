// Reports in /metrics how far topics have been read. The figures are in the database, so any API node has those of all readers.
import type { Metrics } from '../observability/metrics.ts';
import type { StreamPosition, StreamStore } from '../store/stream-store.ts';

export function addStreamMetrics(metrics: Metrics, streams: Pick<StreamStore, 'positions'>): void {
  const add = (name: string, help: string, figure: (position: StreamPosition) => number): void =>
    metrics.gauges(name, help, ['stream', 'partition', 'dataset'], async () =>
      (await streams.positions()).map((position) => ({
        labels: { stream: position.stream, partition: String(position.partition), dataset: position.dataset_id },
        value: figure(position),
      })),
    );
  add('kindred_stream_position', 'Offset of the next message to read.', ({ next_offset }) => next_offset);
  add('kindred_stream_messages', 'Messages read from a stream.', ({ messages }) => messages);
  add('kindred_stream_skipped', 'Messages of a stream that could not be stored.', ({ skipped }) => skipped);
  add('kindred_stream_tombstones', 'Messages of a stream without a value.', ({ tombstones }) => tombstones);
  add('kindred_stream_lost', 'Messages of a stream that were deleted before they were read.', ({ lost }) => lost);
}
