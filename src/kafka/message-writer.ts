// Messages into the store: those of one partition and the position after them are one transaction (store/stream-store.ts).
//
// Invariant: a batch starts at the stored position. If another consumer has stored it in the meantime, the store refuses, and
// reading starts again at the position that is stored now.
import type { EntityRecord, EventRecord } from '../domain/record.ts';
import type { Runtime } from '../domain/runtime.ts';
import { ownTurn } from '../domain/turns.ts';
import { AppError } from '../errors.ts';
import type { TopicKind } from '../kafka-config.ts';
import type { Logger } from '../observability/logger.ts';
import type { UpsertOutcome } from '../store/record-store.ts';
import type { StreamStep, StreamStore } from '../store/stream-store.ts';
import type { DeadLetters, SendMessages } from './dead-letters.ts';
import type { KafkaTarget } from './kafka-target.ts';
import {
  type BadMessage,
  type ReadMessages,
  readEntityMessages,
  readEventMessages,
  type StreamMessage,
} from './read-messages.ts';

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

export const partitionKey = (topic: string, partition: number): string => `${topic}:${partition}`;

export class MessageWriter {
  readonly #parts: MessageWriterParts;
  /** By partitionKey. */
  #positions = new Map<string, number>();

  constructor(parts: MessageWriterParts) {
    this.#parts = parts;
  }

  /** Reads the stored positions again and returns them. */
  async positions(): Promise<{ topic: string; partition: number; offset: bigint }[]> {
    const { streams, topics, target } = this.#parts;
    const found: { topic: string; partition: number; offset: bigint }[] = [];
    for (const [topic, kind] of topics) {
      const ofDataset = await streams.positions(target.datasets[kind].dataset_id);
      for (const { stream, partition, next_offset } of ofDataset) {
        if (stream === this.#streamOf(topic)) found.push({ topic, partition, offset: BigInt(next_offset) });
      }
    }
    this.#positions = new Map(found.map((one) => [partitionKey(one.topic, one.partition), Number(one.offset)]));
    return found;
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
    await ownTurn();
    const { kind, read } = this.#read(topic, messages);
    const next = messages[messages.length - 1].offset + 1;
    const step = {
      ...{ stream: this.#streamOf(topic), partition, from, next },
      ...{ messages: messages.length, skipped: read.bad.length, tombstones: read.tombstones, lost },
    };
    const { deadLetters, send } = this.#parts;
    // Before the position moves: a crash in between sends them twice rather than not at all.
    await deadLetters.take(read.bad, send);
    const outcomes = await this.#append(kind, read.records, step);
    if (outcomes === null) return false;
    this.#positions.set(key, next);
    const refused = outcomes.flatMap((outcome, i): BadMessage[] =>
      outcome === 'stored' ? [] : [{ message: read.sources[i], reason: REFUSALS[outcome] }],
    );
    await deadLetters.take(refused, send);
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
    topic: string,
    messages: readonly StreamMessage[],
  ): { kind: TopicKind; read: ReadMessages<EventRecord | EntityRecord> } {
    const { topics, target, runtime } = this.#parts;
    const kind = topics.get(topic)!;
    if (kind === 'event') {
      return { kind, read: readEventMessages(messages, { nowMs: runtime.nowMs(), readList: target.readList }) };
    }
    return { kind, read: readEntityMessages(messages, `${kind}_id`, target.datasets[kind].attribute_schema) };
  }

  /** Waits while the store is busy, cannot be reached or the account's plan is used up: the messages stay in Kafka meanwhile. */
  async #append(
    kind: TopicKind,
    records: readonly (EventRecord | EntityRecord)[],
    step: StreamStep,
  ): Promise<UpsertOutcome[] | null> {
    const { streams, target, log, signal, runtime } = this.#parts;
    const dataset = target.datasets[kind];
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return kind === 'event'
          ? await streams.appendEvents(dataset, records as EventRecord[], step)
          : await streams.appendRecords(dataset, records as EntityRecord[], step);
      } catch (error) {
        if (!isTemporary(error)) throw error;
        log.warn({ err: error, stream: step.stream, retry_ms: pauseMs }, 'messages wait until they can be stored');
        await runtime.sleep(pauseMs, signal);
      }
    }
  }

  #streamOf(topic: string): string {
    return `${this.#parts.group}:${topic}`;
  }
}

const REFUSALS = {
  full: 'The dataset is full.',
  foreign: 'recommendation_id is from a project that does not use this dataset or was deleted.',
} as const satisfies Record<Exclude<UpsertOutcome, 'stored'>, string>;

function isTemporary(error: unknown): boolean {
  return error instanceof AppError && ['OVERLOADED', 'STORE_UNAVAILABLE', 'PLAN_LIMIT_EXCEEDED'].includes(error.code);
}
