// The service takes time, timers and random bytes from src/base/runtime.ts, so that a test or the simulation can decide them.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../src');

/** Programs of their own: they call the service over HTTP, or start it. */
const OUTSIDE: Record<string, string> = {
  cli: 'commands of a person, each with the runtime of the system',
  client: 'the SDK, which uses nothing of the server',
  sample: 'sample data for the console and the command line',
};

/** What asks the system all the same: the words it may use, and why. A yield of the event loop is not a source of time. */
const EXCEPTIONS: Record<string, { words: readonly string[]; why: string }> = {
  'base/runtime.ts': {
    words: [
      'Date.now',
      'node:perf_hooks',
      'node:timers',
      'performance.now',
      'randomBytes(',
      'setInterval',
      'setTimeout',
    ],
    why: 'is the runtime of the system',
  },
  'base/system.ts': {
    words: ['Date.now', 'new Date()', 'randomBytes('],
    why: 'secrets, names that no other process may have, and times of real files',
  },
  'base/trace.ts': {
    words: ['performance.now', 'performance.timeOrigin'],
    why: 'a trace has steps of several threads, which share the clock of the process',
  },
  'base/steps.ts': { words: ['performance.now', 'setImmediate'], why: 'measures how long a step holds the thread' },
  'base/turns.ts': { words: ['node:timers', 'setImmediate'], why: 'yields to the event loop' },
  'cold-start/cold-items.ts': {
    words: ['performance.now', 'setImmediate'],
    why: 'measures how long a step holds the thread, and yields to the event loop',
  },
  'kernels/kernel-pool.ts': { words: ['node:timers', 'setImmediate'], why: 'yields to the event loop' },
  'serving/fair-turns.ts': {
    words: ['performance.now', 'setImmediate'],
    why: 'measures how long a turn holds the thread, and yields to the event loop',
  },
  'store/sqlite/connection.ts': {
    words: ['performance.now'],
    why: 'blocks the thread while another process holds the file',
  },
  'jobs/job-threads.ts': { words: ['setTimeout'], why: 'ends real threads' },
  'aggregation/spark/driver-page.ts': { words: ['AbortSignal.timeout'], why: 'limits a call over the network' },
  'automation/webhooks/post-delivery.ts': { words: ['AbortSignal.timeout'], why: 'limits a call over the network' },
};

const ASKS_THE_SYSTEM = new RegExp(
  [
    String.raw`\bDate\.now\b|\bnew Date(?:\(\)|\b(?!\())|(?<!new )\bDate\(\)|\bTemporal\.Now\b`,
    String.raw`\bperformance\.(?:now|timeOrigin)\b|\bhrtime\b|\bnode:(?:timers|perf_hooks)\b`,
    // A socket has a setTimeout of its own.
    String.raw`(?<!socket\.)\bset(?:Timeout|Interval|Immediate)\b|\bAbortSignal\.timeout\b`,
    String.raw`\bMath\.random\b|\brandom(?:UUID|Int|Fill|FillSync)\b|(?<![.\w])randomBytes\(|\bgetRandomValues\b`,
    // As a default it is fine: who calls can give another.
    String.raw`\bsystemRuntime\.\w+\(`,
  ].join('|'),
  'g',
);

const withoutComments = (source: string): string => source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
const wordsIn = (source: string): string[] =>
  [...new Set(withoutComments(source).match(ASKS_THE_SYSTEM))].toSorted((a, b) => (a < b ? -1 : 1));

test('the server asks the runtime, not the system, for time, timers and random bytes', () => {
  const asking = globSync('**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && !(file.split('/')[0] in OUTSIDE))
    .map((file) => [file, wordsIn(readFileSync(join(ROOT, file), 'utf8'))] as const)
    .filter(([, words]) => words.length > 0);
  const allowed = Object.entries(EXCEPTIONS).map(([file, { words }]) => [file, words]);
  assert.deepEqual(Object.fromEntries(asking), Object.fromEntries(allowed));
});

test('every way to ask the system is noticed', () => {
  const ways = {
    'const ms = Date.now();': ['Date.now'],
    'resultRoutes({ nowMs: Date.now })': ['Date.now'],
    'new Date().getTime() - new Date(ms).getTime()': ['new Date()'],
    'Date.parse(Date()) - +new Date': ['Date()', 'new Date'],
    'performance.timeOrigin + performance.now()': ['performance.now', 'performance.timeOrigin'],
    'process.hrtime.bigint()': ['hrtime'],
    "import { setTimeout as sleep } from 'node:timers/promises';": ['node:timers', 'setTimeout'],
    'request.raw.socket.setTimeout?.(stalledMs)': [],
    'await new Promise(setImmediate)': ['setImmediate'],
    'fetch(page, { signal: AbortSignal.timeout(5) })': ['AbortSignal.timeout'],
    'Math.random() + randomInt(7)': ['Math.random', 'randomInt'],
    'randomUUID() + crypto.randomUUID()': ['randomUUID'],
    'randomFillSync(pool)': ['randomFillSync'],
    'crypto.getRandomValues(pool)': ['getRandomValues'],
    'randomBytes(4) + runtime.randomBytes(4)': ['randomBytes('],
    'constructor(runtime: Runtime = systemRuntime)': [],
    'const nowMs = systemRuntime.nowMs();': ['systemRuntime.nowMs('],
  };
  for (const [source, words] of Object.entries(ways)) assert.deepEqual(wordsIn(source), words, source);
});
