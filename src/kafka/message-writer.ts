// Messages into the store: those of one partition and the position after them are one transaction (store/stream-store.ts).
//
// Invariant: a batch starts at the stored position. If another consumer has stored it in the meantime, the store refuses, and
// reading starts again at the position that is stored now.

import type { Runtime } from '../base/runtime.ts';
import { ownTurn } from '../base/turns.ts';
import type { TopicKind } from '../config/kafka-config.ts';
import type { Dataset } from '../domain/dataset.ts';
import type { EntityRecord, EventRecord } from '../domain/record.ts';
import { withRefused } from '../domain/record-refusal.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { UpsertOutcome } from '../store/record-store.ts';
import type { StreamStep, StreamStore } from '../store/stream-store.ts';
import type { DeadLetters, SendMessages } from './dead-letters.ts';
import type { KafkaTarget } from './kafka-target.ts';
import { type ReadMessages, readEntityMessages, readEventMessages, type StreamMessage } from './read-messages.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;

export interface MessageWriterParts {
  streams: StreamStore;
  target: KafkaTarget;
  topics: ReadonlyMap<string, TopicKind>;
  group: string;
  deadLetters: DeadLetters;
  send: SendMessages;
  /** The offset of the oldest message that a partition still has. */
  oldestOffset(topic: string, partition: number): Promise<number>;
  log: Logger;
  signal: AbortSignal;
  runtime: Runtime;
}

export interface PartitionPosition {
  topic: string;
  partition: number;
  offset: bigint;
}

export const partitionKey = (topic: string, partition: number): string => `${topic}:${partition}`;

export class MessageWriter {
  readonly #parts: MessageWriterParts;
  /** Keyed by partitionKey. */
  #positions = new Map<string, number>();

  constructor(parts: MessageWriterParts) {
    this.#parts = parts;
  }

  /** Reads the stored positions again and returns them. */
  async positions(): Promise<PartitionPosition[]> {
    const { streams, topics, target } = this.#parts;
    const found: PartitionPosition[] = [];
    for (const [topic, kind] of topics) {
      const ofDataset = await streams.positions(target.datasetIds[kind]);
      for (const { stream, partition, next_offset } of ofDataset) {
        if (stream === this.#streamOf(topic)) found.push({ topic, partition, offset: BigInt(next_offset) });
      }
    }
    this.#positions = new Map(found.map((one) => [partitionKey(one.topic, one.partition), Number(one.offset)]));
    return found;
  }

  /** Stores where partitions without a stored position start. Of several readers that do so the first one decides. */
  async storeStarts(starts: readonly PartitionPosition[]): Promise<void> {
    for (const [topic, partitions] of Map.groupBy(starts, (start) => start.topic)) {
      const stream = this.#streamOf(topic);
      const kind = this.#parts.topics.get(topic)!;
      const dataset = await this.#retried(stream, () => this.#parts.target.readDataset(kind));
      await Promise.all(
        partitions.map(({ partition, offset }) => {
          const counts = { messages: 0, skipped: 0, tombstones: 0, lost: 0 };
          const step = { stream, partition, from: null, next: Number(offset), ...counts };
          return this.#retried(stream, () => this.#append(kind, dataset, [], step));
        }),
      );
    }
  }

  /** Messages of any partitions, each partition's in order. False: reading must start again at the stored positions. */
  async write(messages: readonly StreamMessage[]): Promise<boolean> {
    const byPartition = Map.groupBy(messages, ({ topic, partition }) => partitionKey(topic, partition));
    const results = await Promise.all([...byPartition].map(([key, batch]) => this.#writePartition(key, batch)));
    return results.every(Boolean);
  }

  async #writePartition(key: string, messages: readonly StreamMessage[]): Promise<boolean> {
    const from = this.#positions.get(key) ?? null;
    const { topic, partition, offset } = messages[0];
    if (from !== null && offset < from) {
      throw new Error(
        `Topic ${topic} has a message ${offset} in partition ${partition}, but messages up to ${from - 1} are stored already. ` +
          'If the topic was created again, set another KINDRED_KAFKA_GROUP.',
      );
    }
    const lost = from === null || offset === from ? 0 : await this.#lostBetween(messages[0], from);
    const stream = this.#streamOf(topic);
    const kind = this.#parts.topics.get(topic)!;
    const dataset = await this.#retried(stream, () => this.#parts.target.readDataset(kind));
    await ownTurn();
    const read = this.#read(kind, dataset, messages);
    const next = messages[messages.length - 1].offset + 1;
    const step = {
      stream,
      partition,
      from,
      next,
      messages: messages.length,
      skipped: read.bad.length,
      tombstones: read.tombstones,
      lost,
    };
    const { deadLetters, send } = this.#parts;
    // Sent before the position moves: after a crash in between they are sent twice rather than not at all.
    await deadLetters.take(read.bad, send);
    const outcomes = await this.#retried(stream, () => this.#append(kind, dataset, read.records, step));
    if (outcomes === null) return false;
    this.#positions.set(key, next);
    const refused = withRefused([], outcomes, dataset, (index) => ({ index }));
    await deadLetters.take(
      refused.map(({ index, message: reason }) => ({ message: read.sources[index], reason })),
      send,
    );
    return true;
  }

  /** Compaction and transactions leave gaps too: only what is before the oldest message left was deleted unread. */
  async #lostBetween({ topic, partition, offset }: StreamMessage, from: number): Promise<number> {
    const lost = Math.min(offset, await this.#parts.oldestOffset(topic, partition)) - from;
    if (lost <= 0) return 0;
    this.#parts.log.warn(
      { topic, partition, from, to: from + lost, messages: lost },
      'messages were deleted from Kafka before they were read. Make the retention of the topic longer',
    );
    return lost;
  }

  #read(
    kind: TopicKind,
    dataset: Dataset,
    messages: readonly StreamMessage[],
  ): ReadMessages<EventRecord | EntityRecord> {
    const { target, runtime } = this.#parts;
    return kind === 'event'
      ? readEventMessages(messages, { nowMs: runtime.nowMs(), readList: target.readList })
      : readEntityMessages(messages, `${kind}_id`, dataset.attribute_schema);
  }

  #append(
    kind: TopicKind,
    dataset: Dataset,
    records: readonly (EventRecord | EntityRecord)[],
    step: StreamStep,
  ): Promise<UpsertOutcome[] | null> {
    const { streams } = this.#parts;
    return kind === 'event'
      ? streams.appendEvents(dataset, records as EventRecord[], step)
      : streams.appendRecords(dataset, records as EntityRecord[], step);
  }

  /** Waits while the store is busy, cannot be reached or the account's plan is used up: the messages stay in Kafka meanwhile. */
  async #retried<T>(stream: string, action: () => Promise<T>): Promise<T> {
    const { log, signal, runtime } = this.#parts;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await action();
      } catch (error) {
        if (!isTemporary(error)) throw error;
        log.warn({ err: error, stream, retry_ms: pauseMs }, 'messages wait until they can be stored');
        await runtime.sleep(pauseMs, signal);
      }
    }
  }

  #streamOf(topic: string): string {
    return `${this.#parts.group}:${topic}`;
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof AppError && ['OVERLOADED', 'STORE_UNAVAILABLE', 'PLAN_LIMIT_EXCEEDED'].includes(error.code);
}
