// The role "kafka" with a real broker, which is killed too: every message is stored once, whatever dies in between.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Admin, Consumer, Producer } from '@platformatic/kafka';
import { createEmptyProject, type EmptyProject } from '../support/empty-project.ts';
import { stopPostgres } from '../support/postgres.ts';
import { type ApiCaller, type ServiceProcess, startServiceProcess, startTestService } from '../support/service.ts';
import { newTestPlace } from '../support/test-database.ts';
import { KafkaBroker } from './kafka-broker.ts';

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
  return { position: sum('position'), messages: sum('messages'), skipped: sum('skipped') };
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
        ...{ position: sent + 4, messages: sent + 4, skipped: 4 },
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
