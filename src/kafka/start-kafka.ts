// The role "kafka": reads topics into the datasets of a project, each message once. The group decides who reads which partition;
// where to read on is kept with the data, so a rebalance, a crash or a broker's restart neither loses nor repeats a message.
//
// A session is a membership of the group. Its stream is opened again at the stored positions after each rebalance. Any failure
// ends the session, and the next one starts after a pause.
import type { Consumer, MessagesStream } from '@platformatic/kafka';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import type { KafkaConfig } from '../config/kafka-config.ts';
import type { Logger } from '../observability/logger.ts';
import type { Store } from '../store/store.ts';
import { DeadLetters } from './dead-letters.ts';
import { type DeadLetterSender, deadLetterSender, makeConsumer, requireKafkaDriver } from './kafka-client.ts';
import { findKafkaTarget } from './kafka-target.ts';
import { MessageWriter, type PartitionPosition, partitionKey } from './message-writer.ts';
import type { StreamMessage } from './read-messages.ts';

const MAX_BATCH = 500;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Kafka's own note of the position is for its tools alone, so it may lag behind. */
const NOTE_EVERY_MS = 5000;
/** A broker responds to a fetch within a second, also when there is nothing new. */
const SILENCE_MS = 20_000;
/** Time limit for leaving the group. */
const LEAVE_MS = 3000;
const LATEST = -1n;
const OLDEST = -2n;

type Stream = MessagesStream<Buffer, Buffer, Buffer, Buffer>;

export interface KafkaParts {
  config: KafkaConfig;
  store: Pick<Store, 'accounts' | 'projects' | 'datasets' | 'streams'>;
  log: Logger;
  runtime?: Runtime;
}

export interface KafkaReader {
  stop(): Promise<void>;
}

export function startKafka(parts: KafkaParts): KafkaReader {
  requireKafkaDriver();
  const controller = new AbortController();
  const running = readUntil(parts, controller.signal);
  return {
    async stop() {
      controller.abort();
      await running;
    },
  };
}

async function readUntil(parts: KafkaParts, signal: AbortSignal): Promise<void> {
  const { log, config, runtime = systemRuntime } = parts;
  const deadLetters = new DeadLetters(log, config.deadLetterTopic, runtime);
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const sender = deadLetterSender(config);
    try {
      await runSession(parts, { deadLetters, sender, signal, runtime, onStored: () => (pauseMs = FIRST_PAUSE_MS) });
    } catch (error) {
      if (!signal.aborted) {
        log.error({ reason: reasonOf(error), retry_ms: pauseMs }, 'reading from Kafka failed and will be tried again');
        await runtime.sleep(pauseMs, signal).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    } finally {
      await sender.close().catch(() => {});
    }
  }
}

/** The client wraps an error once per retry and per layer; the innermost one says what happened. */
function reasonOf(error: unknown): string {
  const { errors, cause, message } = error as AggregateError;
  const inner = errors?.at(-1) ?? cause;
  return inner === undefined ? String(message ?? error) : reasonOf(inner);
}

interface SessionParts {
  deadLetters: DeadLetters;
  sender: DeadLetterSender;
  signal: AbortSignal;
  runtime: Runtime;
  onStored: () => void;
}

async function runSession({ config, store, log }: KafkaParts, session: SessionParts): Promise<void> {
  const { runtime } = session;
  const target = await findKafkaTarget(store, config);
  const topics = [...config.topics.keys()];
  const consumer = await makeConsumer(config);
  const ended = new AbortController();
  const signal = AbortSignal.any([session.signal, ended.signal]);
  const writer = new MessageWriter({
    streams: store.streams,
    target,
    topics: config.topics,
    group: config.group,
    log,
    signal,
    runtime,
    deadLetters: session.deadLetters,
    send: session.sender.send,
    async oldestOffset(topic, partition) {
      const oldest = await consumer.listOffsets({
        topics: [topic],
        partitions: { [topic]: [partition] },
        timestamp: OLDEST,
      });
      return Number(oldest.get(topic)?.[partition] ?? 0);
    },
  });
  let stream: Stream | undefined;
  let joins = 0;
  consumer.on('error', (error) => ended.abort(error));
  consumer.on('consumer:heartbeat:stalled', () => ended.abort(new Error('The group coordinator does not respond.')));
  consumer.on('consumer:group:join', ({ assignments }) => {
    joins++;
    log.info({ assignments }, 'partitions were assigned');
    stream?.destroy();
  });
  const onEnd = () => stream?.destroy();
  signal.addEventListener('abort', onEnd);
  const note = positionNotes(consumer, log, runtime);
  const silence = silenceWatch(consumer, runtime, () => ended.abort(new Error('Kafka sends nothing any more.')));
  try {
    // Counted once more than by the streams, so that the end of one is not taken for leaving the topics.
    consumer.topics.trackAll(...topics);
    await consumer.joinGroup({});
    while (!signal.aborted) {
      const join = joins;
      const offsets = await startPositions(consumer, writer, config);
      stream = await consumer.consume({ topics, mode: 'manual', offsets, fallbackMode: 'earliest' });
      stream.on('error', () => {});
      stream.on('fetch', silence.heard);
      if (join !== joins || signal.aborted) {
        stream.destroy();
        continue;
      }
      silence.heard();
      await pump(stream, async (messages) => {
        silence.pause();
        const stored = await writer.write(messages).finally(silence.heard);
        if (stored) {
          session.onStored();
          note.add(messages);
        }
        return stored;
      });
    }
    if (ended.signal.aborted && !session.signal.aborted) throw ended.signal.reason;
  } finally {
    signal.removeEventListener('abort', onEnd);
    note.stop();
    silence.stop();
    stream?.destroy();
    // A consumer that leaves lets others take over at once.
    const left = new AbortController();
    const leaving = consumer.close(true).finally(() => left.abort());
    await Promise.race([leaving, runtime.sleep(LEAVE_MS, left.signal)]).catch(() => {});
  }
}

/**
 * Partitions that are not named start at their beginning. The end of a partition is stored before anything is read: asked for again
 * after a restart or a rebalance, it would be behind messages that nobody has read.
 */
async function startPositions(
  consumer: Consumer,
  writer: MessageWriter,
  { start, topics }: KafkaConfig,
): Promise<PartitionPosition[]> {
  const stored = await writer.positions();
  if (start === 'earliest') return stored;
  const known = new Set(stored.map(({ topic, partition }) => partitionKey(topic, partition)));
  const ends = await consumer.listOffsets({ topics: [...topics.keys()], timestamp: LATEST });
  const missing = [...ends].flatMap(([topic, offsets]) =>
    offsets
      .map((offset, partition) => ({ topic, partition, offset }))
      .filter(({ partition, offset }) => offset >= 0n && !known.has(partitionKey(topic, partition))),
  );
  if (missing.length === 0) return stored;
  await writer.storeStarts(missing);
  return writer.positions();
}

/** Hands over messages in batches until the stream is destroyed or a batch must be read again. Throws when the stream fails. */
async function pump(stream: Stream, write: (messages: readonly StreamMessage[]) => Promise<boolean>): Promise<void> {
  let batch: StreamMessage[] = [];
  let bytes = 0;
  try {
    for await (const { topic, partition, offset, timestamp, value } of stream) {
      batch.push({ topic, partition, offset: Number(offset), timestamp: Number(timestamp), value: value ?? null });
      bytes += value?.byteLength ?? 0;
      if (batch.length < MAX_BATCH && bytes < MAX_BATCH_BYTES && stream.readableLength > 0) continue;
      if (!(await write(batch))) return;
      batch = [];
      bytes = 0;
    }
  } catch (error) {
    // Destroyed by a rebalance or at the end: what was not stored is read again from its stored position.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    stream.destroy();
  }
}

/** Calls `onSilence` when partitions are assigned, nobody writes, and no fetch has ended for a while: a new session helps. */
function silenceWatch(consumer: Consumer, runtime: Runtime, onSilence: () => void) {
  let heardMs = Number.POSITIVE_INFINITY;
  const timer = runtime.every(SILENCE_MS / 4, () => {
    const isReading = consumer.assignments?.some(({ partitions }) => partitions.length > 0);
    if (isReading && runtime.monotonicMs() - heardMs > SILENCE_MS) onSilence();
  });
  return {
    heard: () => {
      heardMs = runtime.monotonicMs();
    },
    pause: () => {
      heardMs = Number.POSITIVE_INFINITY;
    },
    stop: () => timer.cancel(),
  };
}

/** Tells Kafka now and then how far the group is, so that its tools show the lag. Kindred never reads it back. */
function positionNotes(consumer: Consumer, log: Logger, runtime: Runtime) {
  const next = new Map<string, { topic: string; partition: number; offset: bigint; leaderEpoch: number }>();
  const timer = runtime.every(NOTE_EVERY_MS, () => {
    if (next.size === 0 || !consumer.isActive()) return;
    const offsets = [...next.values()];
    next.clear();
    consumer.commit({ offsets }).catch((error) => log.debug({ err: error }, 'could not tell Kafka the position'));
  });
  return {
    add(messages: readonly StreamMessage[]): void {
      for (const { topic, partition, offset } of messages) {
        next.set(partitionKey(topic, partition), { topic, partition, offset: BigInt(offset) + 1n, leaderEpoch: -1 });
      }
    },
    stop: () => timer.cancel(),
  };
}
