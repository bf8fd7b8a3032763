// OpenTelemetry traces, seen by a receiver: a span for each step of the first three paths of ARCHITECTURE.md.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { isTracing } from '../../src/base/trace.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTasteProject, succeed } from '../support/taste-project.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';

let receiver: OtlpReceiver;
let service: TestService;
let spans: ReceivedSpan[];

before(async () => {
  receiver = await startOtlpReceiver();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.endpoint;
  service = await startTestService({ KINDRED_ROLES: 'api,worker', KINDRED_TRACES: '1' });
  const { project_id, algorithm_id } = await createTasteProject(service);
  const train = async () => (await succeed(service, '/submit-training-job', { project_id, algorithm_id })).job_result;
  const [{ model_id }, { model_id: unused }] = [await train(), await train()];
  await succeed(service, '/submit-deployment-job', { project_id, generator_model_id: model_id });
  const body = { project_id, user_id: 'u4', filter_query: "genre = 'Comedy'" };
  const headers = { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` };
  const { status } = await service.call('POST', '/recommend-items-to-user', body, { headers });
  assert.equal(status, 200);
  await service.call('POST', '/recommend-items-to-user', body, { headers: { traceparent: 'nonsense' } });
  await service.ok('POST', '/recommend-items-to-user', { ...body, model_id: unused });
  // Sends what is left.
  await service.stop();
  ({ spans } = receiver);
});
after(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  await receiver?.stop();
});

/** Names of the steps below a span, at any depth. */
function stepsOf({ traceId, spanId }: ReceivedSpan): Set<string> {
  const own = spans.filter((span) => span.traceId === traceId);
  const names = new Set<string>();
  const visit = (parent: string): void => {
    for (const span of own.filter(({ parentSpanId }) => parentSpanId === parent)) {
      names.add(span.name);
      visit(span.spanId);
    }
  };
  visit(spanId);
  return names;
}

const find = (name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name);
  assert.ok(found, `${name} is not among ${[...new Set(spans.map((span) => span.name))].join(', ')}`);
  return found;
};

const architecture = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');

/** The spans that the page names for a path. Where it says something else, the step is no part of every call. */
function spansOf(path: 'Write' | 'Learn' | 'Serve'): string[] {
  const section = architecture.split(/^#{2,3} /m).find((text) => text.startsWith(`${path}:`)) ?? '';
  const rows = [...section.matchAll(/^\|[^|]+\| *`src[^|]+\|[^|]+\|([^|]+)\|$/gm)];
  assert.ok(rows.length > 10, path);
  return rows.flatMap(([, cell]) => /^`(.+)`$/.exec(cell.trim())?.[1] ?? []);
}

function assertSteps(root: ReceivedSpan, wanted: string[]): void {
  const steps = stepsOf(root);
  assert.deepEqual(
    wanted.filter((name) => !steps.has(name)),
    [],
    `steps of ${root.name}: ${[...steps].join(', ')}`,
  );
}

test('an upsert has a span for each step', () => {
  const root = find('POST /upsert-dataset-events');
  assertSteps(root, [...spansOf('Write'), 'handle', 'check records', 'begin', 'commit']);
  assert.equal(root.service, 'kindred');
  assert.equal(root.parentSpanId ?? '', '');
  assert.ok(root.attributes.some(({ key, value }) => key === 'http.response.status_code' && value.intValue === 200));
  for (const span of spans) assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name);
});

test('a recommendation continues the trace of its caller and has a span for each step', () => {
  const root = spans.find(({ name, traceId }) => name === 'POST /recommend-items-to-user' && traceId === TRACE_ID)!;
  assert.equal(root.parentSpanId, CALLER_SPAN);
  assertSteps(root, [
    ...spansOf('Serve'),
    'authenticate',
    'read body',
    'parse',
    'compile filter',
    'cut page',
    'item texts',
    'note served list',
  ]);
  const other = spans.find(({ name, traceId }) => name === 'POST /recommend-items-to-user' && traceId !== TRACE_ID);
  assert.equal(other?.parentSpanId ?? '', '', 'a traceparent that is none begins a new trace');
});

test('a call that needs a model which no node has loaded shows how it is loaded', () => {
  const calls = spans.filter(({ name }) => name === 'POST /recommend-items-to-user');
  const loading = calls.filter((call) => stepsOf(call).has('load model'));
  assert.equal(loading.length, 1);
  assertSteps(loading[0], ['create scorer']);
});

test('a training has a span for each step, across the worker and its thread', () => {
  const root = find('job TRAINING');
  assert.equal(root.service, 'kindred-worker');
  assertSteps(root, [...spansOf('Learn'), 'fit expert', 'fit relations', 'store model file']);
});

test('the page about operations has every span', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith('Traces'))!;
  const own = [...new Set(spans.map(({ name }) => name))].filter((name) => !/^(GET|POST|PUT|DELETE) |^job /.test(name));
  assert.deepEqual(
    own.filter((name) => !section.includes(`\`${name}\``)),
    [],
  );
});

test('spans name no user and no item', () => {
  const text = JSON.stringify(spans);
  assert.doesNotMatch(text, /"u4"|"i17"|Comedy/);
});

test('without the setting nothing is traced', async () => {
  assert.equal(isTracing(), false, 'a stopped service traces no more');
  const before = receiver.spans.length;
  const plain = await startTestService();
  await plain.ok('GET', '/get-account');
  await plain.stop();
  assert.equal(receiver.spans.length, before);
});
