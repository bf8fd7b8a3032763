// The Kafka client, an optional package that is loaded only where the role "kafka" runs; see docs/adr/0012.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Consumer, Producer } from '@platformatic/kafka';
import { uniqueName } from '../base/system.ts';
import type { KafkaConfig } from '../config/kafka-config.ts';
import type { SendMessages } from './dead-letters.ts';

const PACKAGE = '@platformatic/kafka';
/** How long after its last heartbeat a dead consumer's partitions are assigned to others. */
const SESSION_MS = 10_000;
const REBALANCE_MS = 30_000;
const HEARTBEAT_MS = 2000;
const FETCH_WAIT_MS = 1000;
const FETCH_BYTES = 4 * 1024 * 1024;
const CONNECT_MS = 10_000;

/** Checked at the start instead of at the first message. */
export function requireKafkaDriver(): void {
  try {
    createRequire(import.meta.url).resolve(PACKAGE);
  } catch (cause) {
    throw new Error(`The role kafka needs a driver that is not installed. Run: npm install ${PACKAGE}`, { cause });
  }
}

async function connectionOf({ brokers, tls, sasl, group }: KafkaConfig) {
  return {
    clientId: `kindred-${group}-${uniqueName(4)}`,
    bootstrapBrokers: [...brokers],
    connectTimeout: CONNECT_MS,
    ...(tls && { tls: tls.caFile === null ? {} : { ca: await readFile(tls.caFile, 'utf8') } }),
    ...(sasl && { sasl: { ...sasl } }),
  };
}

export async function makeConsumer(config: KafkaConfig): Promise<Consumer> {
  const kafka = await import('@platformatic/kafka');
  return new kafka.Consumer({
    ...(await connectionOf(config)),
    groupId: config.group,
    autocommit: false,
    sessionTimeout: SESSION_MS,
    rebalanceTimeout: REBALANCE_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTime: FETCH_WAIT_MS,
    maxBytes: FETCH_BYTES,
    maxBytesPerPartition: FETCH_BYTES / 4,
  });
}

export interface DeadLetterSender {
  send: SendMessages;
  close(): Promise<void>;
}

/** Connects at the first message. */
export function deadLetterSender(config: KafkaConfig): DeadLetterSender {
  // A promise, so that partitions which send their first message at the same time share one producer.
  let producer: Promise<Producer> | undefined;
  return {
    async send(messages) {
      producer ??= makeProducer(config).catch((error) => {
        producer = undefined;
        throw error;
      });
      await (await producer).send({
        messages: messages.map(({ headers, ...message }) => ({
          ...message,
          headers: new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])),
        })),
      });
    },
    async close() {
      await (await producer)?.close();
    },
  };
}

async function makeProducer(config: KafkaConfig): Promise<Producer> {
  const kafka = await import('@platformatic/kafka');
  return new kafka.Producer({ ...(await connectionOf(config)), autocreateTopics: true });
}
