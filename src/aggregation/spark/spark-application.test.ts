// Tests how the worker reacts to the output of a driver, with a driver that runs no cluster. `npm run test:spark` tests a real
// one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fakeSpark } from '../../../test/support/fake-spark.ts';
import { systemRuntime } from '../../base/runtime.ts';
import { SparkApplication, type SparkOptions, type SparkProgress } from './spark-application.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-driver-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function started(driver: { response: string; begin?: string }, options: SparkOptions = {}) {
  return new SparkApplication(await fakeSpark(folder, driver), await mkdtemp(join(folder, 'requests-')), options);
}

const MINUTE_MS = 60_000;

/** The part of a driver's REST API that is read. Each call gets the next stage, the last one again and again, six minutes later. */
async function restApi(stages: readonly object[]) {
  let calls = 0;
  const server = createServer((_, response) =>
    response.end(JSON.stringify([stages[Math.min(calls++, stages.length - 1)]])),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const runtime = { ...systemRuntime, monotonicMs: () => calls * 6 * MINUTE_MS };
  return { address, runtime, calls: () => calls, close: () => server.close() };
}

test('lines that arrive in pieces, or several at once, are heard', async () => {
  const result = `async ({ pieces }) => {
    for (const piece of pieces) {
      say(piece);
      await pause(50);
    }
  }`;
  const application = await started({ response: result });
  try {
    const pieces = ['an unfinished li', 'ne\nKINDRED DO', 'NE {"ro', 'ws":7}', '\n'];
    assert.deepEqual(await application.request({ pieces }), { rows: 7 });
    const together = ['more\nKINDRED app-1 http://127.0.0.1:1\nKINDRED DONE {"rows":8}\n'];
    assert.deepEqual(await application.request({ pieces: together }), { rows: 8 });
  } finally {
    await application.close();
  }
});

test('a driver that ends fails the count with what it said last', async () => {
  const application = await started({
    response: `() => { fs.writeSync(2, 'java.lang.Error: no disk\\n  at Error.java\\n'); process.exit(3); }`,
  });
  await assert.rejects(application.request({}), /Spark ended with 3: java.lang.Error: no disk/);
  await assert.rejects(application.request({}), /no disk/, 'and every later one');
  await application.close();
});

test('a count without a task for ten minutes fails, and says what to look at', async () => {
  let nowMs = 0;
  const silent = await started({ response: '() => null' }, { runtime: { ...systemRuntime, monotonicMs: () => nowMs } });
  const request = silent.request({});
  nowMs = 10 * MINUTE_MS;
  await assert.rejects(request, /Spark ran no task of the application for 10 minutes/);
  await silent.close();
  const { address, runtime, calls, close } = await restApi([{ numTasks: 4, numActiveTasks: 0, numCompleteTasks: 0 }]);
  try {
    const begin = `say('KINDRED app-7 ${address}\\n');`;
    const waiting = await started({ response: '() => null', begin }, { runtime });
    await assert.rejects(waiting.request({}), /no task of app-7 for 10 minutes. Does the cluster have free executors/);
    assert.equal(calls(), 2, 'not before');
    await waiting.close();
  } finally {
    close();
  }
});

test('a page whose address this machine cannot resolve is read from the driver itself', async () => {
  const { address, runtime, close } = await restApi([{ numTasks: 4, numActiveTasks: 0, numCompleteTasks: 1 }]);
  try {
    const { port } = new URL(address);
    for (const told of [`http://driver.invalid:${port}`, `http://localhost.invalid:${port}/proxy/app-7`]) {
      const heard: SparkProgress[] = [];
      const begin = `say('KINDRED app-7 ${told}\\n');`;
      const onProgress = (one: SparkProgress) => void heard.push(one);
      const application = await started({ response: '() => null', begin }, { runtime, onProgress });
      await assert.rejects(application.request({}), /no task of app-7 for 10 minutes/);
      assert.deepEqual(heard[0], { applicationId: 'app-7', address: told, tasksDone: 1, tasks: 4 });
      await application.close();
    }
  } finally {
    close();
  }
});

test('a driver that does not show its page on this machine is asked at its address', async () => {
  const server = createServer((request, response) => {
    if (!request.url!.startsWith('/proxy/')) response.statusCode = 404;
    response.end(JSON.stringify([{ numTasks: 3, numActiveTasks: 1, numCompleteTasks: 2 }]));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/proxy/app-7`;
  const heard = Promise.withResolvers<SparkProgress>();
  const application = await started(
    { response: '() => null', begin: `say('KINDRED app-7 ${address}\\n');` },
    { onProgress: heard.resolve },
  );
  try {
    application.request({}).catch(() => undefined);
    assert.deepEqual(await heard.promise, { applicationId: 'app-7', address, tasksDone: 2, tasks: 3 });
  } finally {
    await application.close();
    server.close();
  }
});

test('a count whose driver shows nobody how far it is fails after an hour, and says what to look at', async () => {
  const login = createServer((_, response) => response.end('<html>Sign in</html>')).listen(0, '127.0.0.1');
  await once(login, 'listening');
  const address = `http://127.0.0.1:${(login.address() as AddressInfo).port}`;
  for (const told of [address, 'None']) {
    let nowMs = 0;
    const runtime = { ...systemRuntime, monotonicMs: () => nowMs };
    const begin = `say('KINDRED app-7 ${told}\\n');`;
    const application = await started({ response: '() => null', begin }, { runtime });
    const request = application.request({});
    nowMs = 60 * MINUTE_MS;
    await assert.rejects(request, new RegExp(`could not be read at ${told} for 60 minutes`));
    await application.close();
  }
  login.close();
});

test('a count whose tasks run or end is not idle, however long it takes', async () => {
  const { address, runtime, calls, close } = await restApi([
    { numTasks: 4, numActiveTasks: 1, numCompleteTasks: 0 },
    { numTasks: 4, numActiveTasks: 0, numCompleteTasks: 1 },
    { numTasks: 4, numActiveTasks: 0, numCompleteTasks: 2 },
    { numTasks: 4, numActiveTasks: 2, numCompleteTasks: 2 },
  ]);
  const heard: SparkProgress[] = [];
  const ready = join(folder, 'ready');
  const application = await started(
    {
      response: `async () => { while (!fs.existsSync('${ready}')) await pause(50); return { rows: 1 }; }`,
      begin: `say('KINDRED app-7 ${address}\\n');`,
    },
    {
      runtime,
      onProgress(one) {
        heard.push(one);
        if (calls() === 5) writeFileSync(ready, '');
      },
    },
  );
  try {
    assert.deepEqual(await application.request({}), { rows: 1 });
    assert.ok(heard.length >= 5);
    assert.deepEqual(heard.at(-1), { applicationId: 'app-7', address, tasksDone: 2, tasks: 4 });
  } finally {
    await application.close();
    close();
  }
});
