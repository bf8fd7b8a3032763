// The role "kafka" with a real broker, which is killed too: every message is stored once, whatever dies in between.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Admin, Consumer, Producer } from '@platformatic/kafka';
import { loadConfig } from '../../src/config/config.ts';
import { deadLetterSender } from '../../src/kafka/kafka-client.ts';
import { createEmptyProject, type EmptyProject } from '../support/empty-project.ts';
import { stopPostgres } from '../support/postgres.ts';
import { type ApiCaller, type ServiceProcess, startServiceProcess, startTestService } from '../support/service.ts';
import { newTestPlace } from '../support/test-database.ts';
import { KAFKA_USER, KafkaBroker } from './kafka-broker.ts';

const PATIENCE_MS = 90_000;
const PARTITIONS = 4;

let broker: KafkaBroker;
before(async () => {
  broker = await KafkaBroker.start();
});
after(async () => {
  await broker?.stop();
  await stopPostgres();
});

const client = () => ({ clientId: 'test', bootstrapBrokers: [broker.address] });

async function makeTopics(...topics: string[]): Promise<void> {
  const admin = new Admin(client());
  await admin.createTopics({ topics, partitions: PARTITIONS, replicas: 1 });
  await admin.close();
}

async function send(topic: string, values: readonly string[]): Promise<void> {
  // A send that is tried again after a broker's restart must not store its messages twice.
  const producer = new Producer({ ...client(), idempotent: true });
  for (let from = 0; from < values.length; from += 200) {
    const messages = values.slice(from, from + 200).map((value, i) => ({
      ...{ topic, value: Buffer.from(value), partition: (from + i) % PARTITIONS },
    }));
    await producer.send({ messages });
  }
  await producer.close();
}

const eventOf = (n: number): string =>
  JSON.stringify({ user_id: `u${n % 97}`, item_id: `i${n % 31}`, event_type: 'view', ts: 1_762_000_000_000 + n });
const eventsFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => eventOf(first + i));

const kafkaSettings = (topic: string, more: Record<string, string> = {}): Record<string, string> => ({
  KINDRED_KAFKA_BROKERS: broker.address,
  KINDRED_KAFKA_EVENT_TOPICS: topic,
  ...more,
});

/** What the metrics say of a stream, summed over its partitions. */
async function figures(api: ApiCaller, stream: string) {
  const { body } = await api.call('GET', '/metrics');
  const sum = (name: string): number =>
    [...String(body).matchAll(new RegExp(`^kindred_stream_${name}\\{stream="${stream}".*?\\} (\\d+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    ...{ position: sum('position'), messages: sum('messages'), skipped: sum('skipped') },
    ...{ tombstones: sum('tombstones'), lost: sum('lost') },
  };
}

async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `not in time: ${what}`);
    await sleep(100);
  }
}

const storedEvents = async (api: ApiCaller, { event_dataset_id }: EmptyProject): Promise<number> =>
  (await api.ok('GET', '/get-event-dataset', { event_dataset_id })).num_records;

describe('on SQLite, inside the service', () => {
  test('kill -9 loses and repeats nothing, and bad messages do not hold up others', async () => {
    await makeTopics('clicks', 'bad-clicks', 'goods');
    const place = await newTestPlace('sqlite');
    const env = {
      ...{ KINDRED_DATA_DIR: place.dataDir, KINDRED_ROLES: 'api,kafka' },
      ...kafkaSettings('clicks', {
        KINDRED_KAFKA_ITEM_TOPICS: 'goods',
        KINDRED_KAFKA_DEAD_LETTER_TOPIC: 'bad-clicks',
      }),
    };
    let service: ServiceProcess = await startServiceProcess(env);
    try {
      const project = await createEmptyProject(service);
      await send('goods', ['{"item_id":"i0","attributes":{"price":3}}', '{"item_id":"i1"}', '{"attributes":{}}']);
      let sent = 0;
      for (let round = 0; round < 2; round++) {
        await send('clicks', [...eventsFrom(sent, 4000), 'not JSON', '{"user_id":"u"}']);
        sent += 4000;
        await waitFor('the first events', async () => (await storedEvents(service, project)) > sent - 4000);
        await service.kill();
        service = await startServiceProcess(env);
      }
      await waitFor('all events', async () => (await figures(service, 'kindred:clicks')).messages >= sent + 4);
      assert.deepEqual(await figures(service, 'kindred:clicks'), {
        ...{ position: sent + 4, messages: sent + 4, skipped: 4, tombstones: 0, lost: 0 },
      });
      assert.equal(await storedEvents(service, project), sent);
      await waitFor('the items', async () => (await figures(service, 'kindred:goods')).messages === 3);
      const { num_records } = await service.ok('GET', '/get-item-dataset', {
        item_dataset_id: project.item_dataset_id,
      });
      assert.equal(num_records, 2);

      const reasons = await deadLetters('bad-clicks', 5);
      assert.ok(reasons.includes('The message is not JSON in UTF-8.'), reasons.join());
    } finally {
      await service.terminate();
      await place.remove();
    }
  });
});

async function deadLetters(topic: string, atLeast: number): Promise<string[]> {
  const consumer = new Consumer({ ...client(), groupId: 'letters' });
  const stream = await consumer.consume({ topics: [topic], mode: 'earliest' });
  const reasons: string[] = [];
  for await (const { headerEntries } of stream) {
    reasons.push(String(headerEntries.find(([name]) => String(name) === 'reason')?.[1]));
    if (reasons.length >= atLeast) break;
  }
  await consumer.close(true);
  return reasons;
}

test('partitions that send their first dead letters at the same time share one producer', async () => {
  await makeTopics('two-letters');
  const producers: unknown[] = [];
  const onClient = (message: unknown) => {
    const { type, instance } = message as { type: string; instance: unknown };
    if (type === 'producer') producers.push(instance);
  };
  subscribe('plt:kafka:instances', onClient);
  const { kafka } = loadConfig({ KINDRED_ROLES: 'api,kafka', ...kafkaSettings('clicks') });
  const sender = deadLetterSender(kafka!);
  const letter = { topic: 'two-letters', value: Buffer.from('x'), headers: { reason: 'not JSON' } };
  try {
    await Promise.all([sender.send([letter]), sender.send([letter])]);
  } finally {
    await sender.close();
    unsubscribe('plt:kafka:instances', onClient);
  }
  assert.equal(producers.length, 1);
  assert.equal((await deadLetters('two-letters', 2)).length, 2);
});

/** A reader in a process of its own, which tells what it logs. */
function startLoggingReader(env: Record<string, string>): { child: ChildProcess; logged: () => string } {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'serve'], {
    env: { ...process.env, KINDRED_LOG_LEVEL: 'warn', KINDRED_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return { child, logged: () => text };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

describe('with TLS and SASL', () => {
  const secure = (topic: string, more: Record<string, string>): Record<string, string> => ({
    ...kafkaSettings(topic, { KINDRED_ROLES: 'api,kafka', KINDRED_KAFKA_TLS: 'true' }),
    KINDRED_KAFKA_BROKERS: broker.secureAddress,
    KINDRED_KAFKA_TLS_CA_FILE: broker.caFile,
    KINDRED_KAFKA_USERNAME: KAFKA_USER.username,
    KINDRED_KAFKA_PASSWORD: KAFKA_USER.password,
    ...more,
  });

  for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']) {
    test(`messages are read with ${mechanism}, bad ones sent on`, async () => {
      const topic = `tls-${mechanism.toLowerCase()}`;
      await makeTopics(topic, `${topic}-bad`);
      const service = await startServiceProcess(
        secure(topic, { KINDRED_KAFKA_SASL_MECHANISM: mechanism, KINDRED_KAFKA_DEAD_LETTER_TOPIC: `${topic}-bad` }),
      );
      try {
        const project = await createEmptyProject(service);
        await send(topic, [...eventsFrom(0, 300), 'not JSON']);
        await waitFor('the events', async () => (await storedEvents(service, project)) === 300);
        assert.deepEqual(await deadLetters(`${topic}-bad`, 1), ['The message is not JSON in UTF-8.']);
      } finally {
        await service.stop();
      }
    });
  }

  test('a wrong password and a wrong authority are named in the log, and nothing is read', async () => {
    await makeTopics('tls-wrong');
    await send('tls-wrong', eventsFrom(0, 5));
    const { KINDRED_KAFKA_TLS_CA_FILE: _, ...withoutAuthority } = secure('tls-wrong', {
      KINDRED_KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    });
    for (const [env, reason] of [
      [secure('tls-wrong', { KINDRED_KAFKA_SASL_MECHANISM: 'PLAIN', KINDRED_KAFKA_PASSWORD: 'wrong' }), /auth/i],
      [withoutAuthority, /certificate/i],
    ] as const) {
      const place = await newTestPlace('sqlite');
      const own = { KINDRED_DATA_DIR: place.dataDir };
      const api = await startServiceProcess(own);
      await createEmptyProject(api);
      await api.terminate();
      const { child, logged } = startLoggingReader({ ...env, ...own });
      try {
        await waitFor('the reason', async () => /reading from Kafka failed/.test(logged()));
        assert.match(logged(), reason);
        assert.doesNotMatch(logged(), new RegExp(KAFKA_USER.password));
      } finally {
        await end(child);
        await place.remove();
      }
    }
  });
});

test('tombstones change nothing, and what Kafka deleted unread is told', async () => {
  await makeTopics('kept-short');
  const place = await newTestPlace('sqlite');
  const own = { KINDRED_DATA_DIR: place.dataDir, KINDRED_ROLES: 'api,kafka' };
  const settings = kafkaSettings('kept-short', { ...own, KINDRED_KAFKA_DEAD_LETTER_TOPIC: 'kept-short-bad' });
  let service = await startServiceProcess(settings);
  try {
    const project = await createEmptyProject(service);
    await send('kept-short', eventsFrom(0, 40));
    const producer = new Producer({ ...client(), idempotent: true });
    await producer.send({
      messages: [0, 1].map((partition) => ({ topic: 'kept-short', partition, key: Buffer.from('k') })),
    });
    await producer.close();
    await waitFor('the events', async () => (await figures(service, 'kindred:kept-short')).messages === 42);
    const { messages, skipped, tombstones, lost } = await figures(service, 'kindred:kept-short');
    assert.deepEqual({ messages, skipped, tombstones, lost }, { messages: 42, skipped: 0, tombstones: 2, lost: 0 });
    await service.terminate();

    await send('kept-short', eventsFrom(40, 40));
    const admin = new Admin(client());
    // As retention does: 7 of the 10 new messages of the last partition, which has no tombstone.
    await admin.deleteRecords({ topics: [{ name: 'kept-short', partitions: [{ partition: 3, offset: 17n }] }] });
    await admin.close();
    service = await startServiceProcess(settings);
    await waitFor('the rest', async () => (await storedEvents(service, project)) === 73);
    assert.equal((await figures(service, 'kindred:kept-short')).lost, 7);
    const { streams } = await service.ok('GET', '/get-project-status', { project_id: project.project_id });
    assert.deepEqual(streams, [{ stream: 'kindred:kept-short', messages: 75, skipped: 0, lost: 7 }]);
  } finally {
    await service.terminate();
    await place.remove();
  }
});

test('with the start "latest", what is sent while the reader is down is read, what was sent before its first start is not', async () => {
  await makeTopics('from-now');
  await send('from-now', eventsFrom(0, 40));
  const place = await newTestPlace('sqlite');
  const env = {
    ...{ KINDRED_DATA_DIR: place.dataDir, KINDRED_ROLES: 'api,kafka' },
    ...kafkaSettings('from-now', { KINDRED_KAFKA_START: 'latest' }),
  };
  let service = await startServiceProcess(env);
  try {
    const project = await createEmptyProject(service);
    await waitFor('the starts', async () => (await figures(service, 'kindred:from-now')).position === 40);
    await service.kill();
    await send('from-now', eventsFrom(40, 40));
    service = await startServiceProcess(env);
    await waitFor('the events', async () => (await storedEvents(service, project)) === 40);
    const { messages, position } = await figures(service, 'kindred:from-now');
    assert.deepEqual({ messages, position }, { messages: 40, position: 80 });
  } finally {
    await service.terminate();
    await place.remove();
  }
});

describe('on PostgreSQL, as processes of their own', () => {
  test('two readers, a killed one and a killed broker store each message once', async () => {
    await makeTopics('visits');
    const place = await newTestPlace('postgres');
    const shared = { KINDRED_DATA_DIR: place.dataDir, KINDRED_DATABASE_URL: place.databaseUrl ?? '' };
    const api = await startTestService(shared);
    const readers: ChildProcess[] = [];
    try {
      const project = await createEmptyProject(api);
      const env = { ...shared, KINDRED_ROLES: 'kafka', ...kafkaSettings('visits', { KINDRED_KAFKA_GROUP: 'g' }) };
      const start = (): ChildProcess => {
        const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), 'serve'], {
          env: { ...process.env, ...env, KINDRED_LOG_LEVEL: 'warn', KINDRED_KAFKA_PROJECT: project.project_id },
          stdio: ['ignore', 'inherit', 'ignore'],
        });
        readers.push(child);
        return child;
      };
      const stored = () => storedEvents(api, project);

      const first = start();
      await send('visits', eventsFrom(0, 4000));
      await waitFor('the first reader', async () => (await stored()) > 500);
      start();
      await send('visits', eventsFrom(4000, 4000));
      await waitFor('both readers', async () => (await stored()) > 5000);

      const killed = once(first, 'exit');
      first.kill('SIGKILL');
      await killed;
      await send('visits', eventsFrom(8000, 2000));
      await waitFor('the reader that is left', async () => (await stored()) === 10_000);

      await broker.kill();
      start();
      await broker.restart();
      await send('visits', eventsFrom(10_000, 2000));
      await waitFor('the broker that came back', async () => (await stored()) >= 12_000);
      assert.equal(await stored(), 12_000);
      const { messages, skipped, position } = await figures(api, 'g:visits');
      assert.deepEqual({ messages, skipped, position }, { messages: 12_000, skipped: 0, position: 12_000 });
    } finally {
      for (const child of readers) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      await api.stop();
      await place.remove();
    }
  });
});
