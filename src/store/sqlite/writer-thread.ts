// The one thread that writes to SQLite. It takes every request that waits, runs them in one transaction, syncs once, and
// only then responds to them (group commit).
//
// Invariants: no response is sent before COMMIT has returned; a request that fails harms no other (an `atomic` and a
// merge run in a savepoint; when anything else fails, the group is rolled back and its requests are run one by one).
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { systemRuntime } from '../../base/runtime.ts';
import { StepLog, setTracing, traced } from '../../base/trace.ts';
import { AppError } from '../../errors.ts';
import { MAX_GROUP_RECORDS } from '../write-limits.ts';
import { beginImmediate, openWriterConnection, sleepSync } from './connection.ts';
import { logLimit } from './log-limit.ts';
import { joinSteps } from './merge-users.ts';
import { outcomeSteps } from './outcome-steps.ts';
import { purger } from './purge.ts';
import { remainsCleaner } from './remains-cleaner.ts';
import { runAtomic } from './run-atomic.ts';
import { isConstraintError, isReadOnly, unavailableError } from './sqlite-error.ts';
import { eventWriter } from './write-events.ts';
import { outcomeWriter } from './write-outcomes.ts';
import { CLOSE, type WriteError, type WriteReply, type WriteRequest, type WriterThreadData } from './write-protocol.ts';
import { recordWriter } from './write-records.ts';
import { streamWriter } from './write-stream.ts';

const LONG_HOLD_MS = 20;
const GIVE_WAY_MS = 4;

/** Times the thread's own pauses. The time of writes comes with each request. */
const runtime = systemRuntime;
const port = parentPort!;
const { file } = workerData as WriterThreadData;
const db = openWriterConnection(file);
const keepLogShort = logLimit(db, file);
const atomic = runAtomic(db);
const remains = remainsCleaner(db, runtime);
const lists = outcomeSteps(db);
const events = eventWriter(db, lists, remains);
const outcomes = outcomeWriter(db, lists);
const records = recordWriter(db, remains);
const streams = streamWriter(db, (command, nowMs) =>
  command.kind === 'upsert-events' ? events.upsert(command, nowMs).outcomes : records.upsert(command, nowMs),
);
const datasets = purger(db, remains);

/** If a file cannot be opened for writing, e.g. for lack of file descriptors, SQLite opens it read-only, and it stays so. */
let canWrite = true;

/** How long the last transaction held the file, in milliseconds. */
let heldMs = 0;

function run({ command, nowMs }: WriteRequest): unknown {
  switch (command.kind) {
    case 'atomic':
      return atomic.run(command);
    case 'upsert-events':
      return traced('write rows', () => events.upsert(command, nowMs));
    case 'delete-events':
      return events.delete(command, nowMs);
    case 'delete-places':
      return events.deletePlaces(command, nowMs);
    case 'delete-moments':
      return events.deleteMoments(command, nowMs);
    case 'upsert-records':
      return traced('write rows', () => records.upsert(command, nowMs));
    case 'patch-records':
      return records.patch(command, nowMs);
    case 'delete-records':
      return records.delete(command);
    case 'merge-users':
      return joinSteps(records.merge(command, nowMs), () => {
        outcomes.merge(command);
        return events.move(command, nowMs);
      });
    case 'add-served':
      return outcomes.addServed(command, nowMs);
    case 'add-impressions':
      return outcomes.addImpressions(command, nowMs);
    case 'forget-outcomes':
      return outcomes.forget(command);
    case 'append':
      return streams.append(command, nowMs);
    case 'purge':
      return datasets.run(command.maxRows);
  }
}

function describe(error: unknown): WriteError {
  const known = error instanceof AppError ? error : unavailableError(error);
  if (known) return { kind: 'app', code: known.code, message: known.message };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: isConstraintError(error) ? 'constraint' : 'internal', message };
}

/** A call that exceeds the account's plan is refused before it writes anything. The other calls of its group continue. */
function runBulk(request: WriteRequest): WriteReply {
  const { requestNo } = request;
  try {
    return { requestNo, result: run(request) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'PLAN_LIMIT_EXCEEDED') throw error;
    return { requestNo, error: describe(error) };
  }
}

/** Runs the requests in one transaction; throws when a failure concerns all of them. */
function runTogether(group: readonly WriteRequest[]): WriteReply[] {
  traced('begin', () => beginImmediate(db));
  const startedMs = runtime.monotonicMs();
  try {
    const replies = group.map((request): WriteReply => {
      const { requestNo, command } = request;
      if (command.kind !== 'atomic' && command.kind !== 'merge-users') return runBulk(request);
      db.exec('SAVEPOINT request');
      try {
        const result = run(request);
        db.exec('RELEASE request');
        return { requestNo, result };
      } catch (error) {
        if (!db.isTransaction || unavailableError(error)) throw error;
        db.exec('ROLLBACK TO request; RELEASE request');
        events.ended(false);
        return { requestNo, error: describe(error) };
      }
    });
    traced('commit', () => db.exec('COMMIT'));
    events.ended(true);
    heldMs = runtime.monotonicMs() - startedMs;
    return replies;
  } catch (error) {
    // SQLite rolls back by itself on some errors (a full disk, for one).
    if (db.isTransaction) db.exec('ROLLBACK');
    events.ended(false);
    throw error;
  }
}

/** Pauses between two long transactions so that other processes get a turn; see beginImmediate. */
function giveWay(): void {
  if (heldMs > LONG_HOLD_MS) sleepSync(GIVE_WAY_MS);
  heldMs = 0;
}

function runGroup(group: readonly WriteRequest[]): WriteReply[] {
  try {
    return runTogether(group);
  } catch (error) {
    if (isReadOnly(error)) canWrite = false;
    if (group.length > 1 && !unavailableError(error)) return group.flatMap((request) => runGroup([request]));
    return group.map(({ requestNo }) => ({ requestNo, error: describe(error) }));
  }
}

/** Runs a group. Each call's trace gets all steps of the group. */
function runTraced(group: readonly WriteRequest[]): WriteReply[] {
  const log = new StepLog();
  setTracing(log);
  const replies = traced('write group', () => runGroup(group));
  setTracing(null);
  return replies.map((reply) => ({ ...reply, steps: log.steps }));
}

function end(): void {
  remains.stop();
  // The last connection to close the file writes the log back into it, so that one file contains everything.
  db.close();
  port.close();
}

port.on('message', (first: WriteRequest | typeof CLOSE) => {
  if (first === CLOSE) return end();
  const group = [first];
  let weight = first.weight;
  while (weight < MAX_GROUP_RECORDS) {
    const next = receiveMessageOnPort(port) as { message: WriteRequest } | undefined;
    if (!next) break;
    group.push(next.message);
    weight += next.message.weight;
  }
  port.postMessage(group.some((request) => request.traced) ? runTraced(group) : runGroup(group));
  // The next request starts another thread, which opens the file again.
  if (!canWrite) return end();
  keepLogShort();
  giveWay();
});
