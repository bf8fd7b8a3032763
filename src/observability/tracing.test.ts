import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { beginTrace } from '../base/trace.ts';
import { startTracing } from './tracing.ts';

// Tries longer than the end of tracing waits, but not long: the test ends with the last try.
process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '2000';

/** Sends one span to the port, ends tracing, and returns what was logged. */
async function warningsOf(port: number): Promise<string[]> {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  try {
    const tracing = await startTracing({ share: 1, serviceName: 'test', version: '0' }, log);
    beginTrace({ name: 'work', kind: 'job' })!.end({ failed: false });
    await tracing!.stop();
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  }
  return warnings;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const LOST = 'could not send the last spans';

test('ending tracing with a receiver that never responds loses spans, and says so', async () => {
  const silent = createServer(() => {});
  const port = await listen(silent);
  assert.deepEqual(await warningsOf(port), [LOST]);
  silent.closeAllConnections();
  silent.close();
});

test('ending tracing with a receiver that is down loses spans, and says so', async () => {
  const gone = createServer();
  const port = await listen(gone);
  gone.close();
  await once(gone, 'close');
  assert.deepEqual(await warningsOf(port), [LOST]);
});

test('ending tracing sends what is left without a word', async () => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    received.push(request.url!);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  assert.deepEqual(await warningsOf(await listen(receiver)), []);
  assert.deepEqual(received, ['/v1/traces']);
  receiver.closeAllConnections();
  receiver.close();
});
