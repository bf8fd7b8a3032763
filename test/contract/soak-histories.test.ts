// The checks of the soak find what they are for: each is shown what may happen, and what may not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Calls } from '../soak/calls.ts';
import { wrongDecisions } from '../soak/clients/automation.ts';
import { ItemHistory } from '../soak/histories/item-history.ts';
import { JobHistory } from '../soak/histories/job-history.ts';
import { ServingHistory } from '../soak/histories/serving-history.ts';
import { Ledger } from '../soak/ledger.ts';
import { type ApiPlace, type Cause, Disturbances, type Nodes } from '../soak/nodes.ts';
import { overlapsOf } from '../soak/registers.ts';
import type { CallResponse } from '../support/service.ts';

const place = (name: string): ApiPlace =>
  ({ name, disturbances: new Disturbances(), current: { caller: null } }) as unknown as ApiPlace;
const [one, two] = [place('api 1'), place('api 2')];
const nodes = (): Nodes => ({ apis: [place('api 1'), place('api 2')], workers: [], shared: new Disturbances() });
const responseWith = (body: unknown, status = 200) => ({ status, body, headers: new Headers() }) as CallResponse;
const timed = (at: ApiPlace, body: unknown, calledMs: number, returnedMs: number) => ({
  ...responseWith(body),
  place: at,
  calledMs,
  returnedMs,
});

function calling(calm: Nodes = nodes(), isStarved = false) {
  const ledger = new Ledger();
  const calls = new Calls({ nodes: calm, ledger, bystander: { wasStarved: () => isStarved } });
  return { ledger, calls, at: calm.apis[0], nodes: calm };
}

test('a call that fails is held against the service unless a fault explains it', async () => {
  const refuse = async () => responseWith({ code: 'X' }, 503);
  const { ledger, calls, at } = calling();
  assert.equal(await calls.once('event write', at, refuse), null);
  assert.match(ledger.complaints[0], /event write on api 1 .* 503/);
  assert.deepEqual(ledger.calls['event write'], { calls: 1, failed: 1, excused: 0, starved: 0 });

  const during = async (cause: Cause, kind: 'event write' | 'model deletion', which: 'own' | 'other' | 'shared') => {
    const { ledger, calls, at, nodes } = calling();
    const struck = { own: at.disturbances, other: nodes.apis[1].disturbances, shared: nodes.shared }[which];
    await struck.during(cause, async () => void (await calls.once(kind, at, refuse)));
    return ledger.calls[kind].excused;
  };
  assert.equal(await during('process', 'event write', 'own'), 1);
  assert.equal(await during('database', 'event write', 'shared'), 1);
  assert.equal(await during('process', 'event write', 'other'), 0, 'the other node was struck');
  assert.equal(await during('artifacts', 'event write', 'own'), 0, 'which needs no artifacts');
  assert.equal(await during('artifacts', 'model deletion', 'own'), 1);

  const starved = calling(nodes(), true);
  await starved.calls.once('job read', starved.at, refuse);
  assert.equal(starved.ledger.calls['job read'].starved, 1);
});

test('a failure on the way to an acknowledgement is judged too', async () => {
  const { ledger, calls } = calling();
  let attempts = 0;
  const send = async () => (++attempts === 1 ? responseWith({}, 500) : responseWith({ done: true }));
  assert.deepEqual((await calls.untilAcknowledged('shutdown', send)).body, { done: true });
  assert.equal(ledger.calls.shutdown.failed, 1);
});

function jobsSeen(...reads: [ApiPlace, object, number, number][]): string[] {
  const ledger = new Ledger();
  const history = new JobHistory(ledger);
  for (const [at, job, calledMs, returnedMs] of reads) {
    const given = { job_id: 'j', retry_count: 0, job_result: null, finished_ts: null, failure_reason: null, ...job };
    history.read(timed(at, given, calledMs, returnedMs));
  }
  return ledger.complaints;
}

test('a job goes on, waits again only to be retried, and ends once', () => {
  const [waits, runs] = [{ job_status: 'PENDING' }, { job_status: 'RUNNING' }];
  const done = { job_status: 'SUCCEED', finished_ts: 5, job_result: { model_id: 'm', serving_uri: 'http://one' } };
  const doneOnTwo = { ...done, job_result: { model_id: 'm', serving_uri: 'http://two' } };
  const retried = { ...waits, retry_count: 1 };
  assert.deepEqual(jobsSeen([one, waits, 0, 1], [two, runs, 2, 3], [one, retried, 4, 5], [one, done, 6, 7]), []);
  assert.deepEqual(jobsSeen([one, done, 0, 3], [two, runs, 2, 4]), [], 'both were under way at the same time');
  assert.deepEqual(jobsSeen([one, done, 0, 1], [two, doneOnTwo, 2, 3]), []);
  assert.match(jobsSeen([one, runs, 0, 1], [two, waits, 2, 3])[0], /went back to PENDING/);
  assert.match(jobsSeen([one, done, 0, 1], [two, runs, 2, 3])[0], /went back to RUNNING/);
  assert.match(jobsSeen([one, { job_status: 'CANCELLED' }, 0, 1], [two, done, 2, 3])[0], /ended .*SUCCEED/);
  const other = { ...done, job_result: { model_id: 'n' } };
  assert.match(jobsSeen([one, done, 0, 1], [two, other, 2, 3])[0], /before that/);
});

test('a deleted item is not shown again until it is written again', () => {
  const ledger = new Ledger();
  const items = new ItemHistory(ledger);
  const before = performance.now() - 1;
  items.deleted('i1');
  const after = performance.now() + 1;
  items.shown(['i1'], { place: one, calledMs: before });
  assert.deepEqual(ledger.complaints, [], 'the call began before');
  items.shown(['i2'], { place: one, calledMs: after });
  assert.deepEqual(ledger.complaints, []);
  items.shown(['i2', 'i1'], { place: two, calledMs: after });
  assert.match(ledger.complaints.join(), /^a list of api 2 shows item i1/);
  items.writes('i1');
  items.shown(['i1'], { place: one, calledMs: after });
  assert.equal(ledger.complaints.length, 1);
  assert.deepEqual(items.counts, { listsWithoutDeleted: 2, shownAgain: 1 });
});

test('after an acknowledged deployment or shutdown no node serves what was before', async () => {
  const served = async (value: string | null, cause: Cause | null, when: 'before' | 'after') => {
    const all = nodes();
    const history = new ServingHistory('m1');
    const isDown = history.switches(null);
    if (when === 'after') isDown();
    const calledMs = performance.now() + 1;
    const read = async () => history.read(all, timed(all.apis[1], {}, calledMs, calledMs + 1), value);
    await (cause === null ? read() : all.apis[1].disturbances.during(cause, read));
    return history.check().wrong;
  };
  assert.deepEqual(await served(null, null, 'after'), []);
  assert.deepEqual(await served('m1', null, 'before'), []);
  assert.deepEqual(await served('m1', null, 'after'), ['what api 2 served is not linearizable']);
  assert.deepEqual(await served('m1', 'process', 'after'), ['what api 2 served is not linearizable']);
  assert.deepEqual(await served('m1', 'database', 'after'), [], 'it could not know');
});

test('automation decides once on each training and keeps its newest models', () => {
  const training = (n: number, status = 'SUCCEED') => ({
    job_id: `j${n}`,
    job_type: 'TRAINING',
    job_status: status,
    job_result: { model_id: `m${n}` },
  });
  const decision = (n: number, model_id = `m${n}`) => ({ training_job_id: `j${n}`, model_id, decision: 'keep' });
  const jobs = [training(1), training(2), training(3), training(4), training(5, 'FAILED')];
  const decisions = [1, 2, 3, 4].map((n) => decision(n));
  const models = ['m2', 'm3', 'm4'];
  assert.deepEqual(wrongDecisions(decisions, jobs, models), []);
  assert.match(wrongDecisions(decisions.slice(1), jobs, models)[0], /did not decide about training j1/);
  assert.match(wrongDecisions([...decisions, decision(1)], jobs, models)[0], /twice/);
  assert.match(wrongDecisions(decisions.with(0, decision(1, 'm9')), jobs, models)[0], /another model/);
  assert.match(wrongDecisions(decisions, jobs, ['m3', 'm4'])[0], /did not keep model m2/);
  const deploys = { ...decision(1), decision: 'deploy', deployment_job_id: 'j9' };
  assert.match(wrongDecisions(decisions.with(0, deploys), jobs, models)[0], /deployment j9/);
});

test('operations that were under way at the same time are counted', () => {
  const operation = (calledMs: number, returnedMs: number) => ({ calledMs, returnedMs });
  assert.equal(overlapsOf([operation(0, 1), operation(2, 3), operation(4, 5)]), 0);
  assert.equal(overlapsOf([operation(0, 5), operation(1, 2), operation(3, 4), operation(6, 7)]), 2);
});
