// Settings of the role "kafka"; read by config.ts with the rest.
import type { VariableReader } from './variable-reader.ts';

const SASL_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];
const TOPIC = /^[\w.-]{1,249}$/;
const BROKER = /^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i;

export type TopicKind = 'event' | 'item' | 'user';

export interface KafkaConfig {
  /** Each in the form host:port. */
  readonly brokers: readonly string[];
  readonly topics: ReadonlyMap<string, TopicKind>;
  readonly group: string;
  /** Name of the account that stores the messages. */
  readonly account: string;
  /** Null: the account's default project, or its only one. */
  readonly projectId: string | null;
  /** Where reading starts in a partition without a stored position. */
  readonly start: 'earliest' | 'latest';
  readonly deadLetterTopic: string | null;
  /** null means without TLS. */
  readonly tls: { readonly caFile: string | null } | null;
  readonly sasl: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string } | null;
}

export const KAFKA_VARIABLES = {
  KINDRED_KAFKA_BROKERS: 'role kafka: host:port of brokers, separated by commas',
  KINDRED_KAFKA_EVENT_TOPICS: 'role kafka: topics with events, separated by commas',
  KINDRED_KAFKA_ITEM_TOPICS: 'role kafka: topics with items, separated by commas',
  KINDRED_KAFKA_USER_TOPICS: 'role kafka: topics with users, separated by commas',
  KINDRED_KAFKA_GROUP: 'role kafka: consumer group; a new name reads the topics again (kindred)',
  KINDRED_KAFKA_ACCOUNT: 'role kafka: name of the account (default)',
  KINDRED_KAFKA_PROJECT: "role kafka: project_id (the account's default project, or its only one)",
  KINDRED_KAFKA_START: 'role kafka: earliest or latest, where a new group begins (earliest)',
  KINDRED_KAFKA_DEAD_LETTER_TOPIC: 'role kafka: topic that gets the messages that could not be stored (none)',
  KINDRED_KAFKA_TLS: 'role kafka: true connects with TLS (false)',
  KINDRED_KAFKA_TLS_CA_FILE: 'role kafka: PEM file of the certificate authority (that of the system)',
  KINDRED_KAFKA_SASL_MECHANISM: `role kafka: ${SASL_MECHANISMS.join(', ')} (none)`,
  KINDRED_KAFKA_USERNAME: 'role kafka: SASL user name',
  KINDRED_KAFKA_PASSWORD: 'role kafka: SASL password',
} as const;

export function loadKafkaConfig(reader: VariableReader<keyof typeof KAFKA_VARIABLES>): KafkaConfig {
  const { problems } = reader;
  const brokers = reader.list('KINDRED_KAFKA_BROKERS', (text) => BROKER.test(text), 'like kafka-1:9092,kafka-2:9092');
  if (brokers.length === 0) problems.push('KINDRED_KAFKA_BROKERS is missing; the role kafka needs it.');

  const topics = new Map<string, TopicKind>();
  for (const [kind, name] of [
    ['event', 'KINDRED_KAFKA_EVENT_TOPICS'],
    ['item', 'KINDRED_KAFKA_ITEM_TOPICS'],
    ['user', 'KINDRED_KAFKA_USER_TOPICS'],
  ] as const) {
    for (const topic of reader.list(name)) {
      if (!TOPIC.test(topic)) reader.refuse(name, topic, 'names of topics, separated by commas');
      else if (topics.has(topic)) reader.refuse(name, topic, 'a topic that no other setting names');
      topics.set(topic, kind);
    }
  }
  if (topics.size === 0)
    problems.push('KINDRED_KAFKA_EVENT_TOPICS is missing; the role kafka needs at least one topic.');

  const deadLetterTopic = reader.text('KINDRED_KAFKA_DEAD_LETTER_TOPIC');
  if (deadLetterTopic !== null && (!TOPIC.test(deadLetterTopic) || topics.has(deadLetterTopic))) {
    reader.refuse('KINDRED_KAFKA_DEAD_LETTER_TOPIC', deadLetterTopic, 'the name of a topic that is not read');
  }

  const group = reader.text('KINDRED_KAFKA_GROUP') ?? 'kindred';
  if (!TOPIC.test(group)) reader.refuse('KINDRED_KAFKA_GROUP', group, 'a name of letters, digits, ".", "_" and "-"');

  const mechanism = reader.text('KINDRED_KAFKA_SASL_MECHANISM');
  const username = reader.text('KINDRED_KAFKA_USERNAME');
  const password = reader.text('KINDRED_KAFKA_PASSWORD');
  if (mechanism !== null && !SASL_MECHANISMS.some((one) => one === mechanism)) {
    reader.refuse('KINDRED_KAFKA_SASL_MECHANISM', mechanism, `one of ${SASL_MECHANISMS.join(', ')}`);
  } else if ((mechanism === null) !== (username === null) || (mechanism === null) !== (password === null)) {
    problems.push('KINDRED_KAFKA_SASL_MECHANISM, KINDRED_KAFKA_USERNAME and KINDRED_KAFKA_PASSWORD belong together.');
  }

  return {
    brokers,
    topics,
    group,
    deadLetterTopic,
    account: reader.text('KINDRED_KAFKA_ACCOUNT') ?? 'default',
    projectId: reader.text('KINDRED_KAFKA_PROJECT'),
    start: reader.oneOf('KINDRED_KAFKA_START', ['earliest', 'latest'], 'earliest'),
    tls: reader.isTrue('KINDRED_KAFKA_TLS') ? { caFile: reader.text('KINDRED_KAFKA_TLS_CA_FILE') } : null,
    sasl:
      mechanism === null ? null : { mechanism: mechanism as SaslMechanism, username: username!, password: password! },
  };
}
