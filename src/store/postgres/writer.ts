// Writes wait here per dataset. While one transaction of a dataset runs, the next requests gather; when it has committed,
// they go together in the next. Bounded like SQLite's queue: what does not fit is refused with OVERLOADED.
import { type PastStep, pastSteps, StepLog } from '../../base/trace.ts';
import { AppError } from '../../errors.ts';
import { onBehalfOf } from '../on-behalf-of.ts';
import { MAX_GROUP_RECORDS, WriteBudget, type WriteSize, weightOf } from '../write-limits.ts';
import { PlannerStatistics } from './planner-statistics.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { settle, settleOutbox } from './settle-outbox.ts';
import { type TimedStep, type WriteContext, type WriteTarget, writeTransaction } from './write-context.ts';

/** Consecutive requests of one kind in the queue run as one. */
export interface BulkOperation<Input, Output> {
  /** Returns the outputs of the first inputs, at least one. The others are run in a transaction of their own. */
  run(context: WriteContext, inputs: readonly Input[]): Promise<Output[]>;
}

/**
 * Runs requests one after the other while each can read what the previous one wrote. Stops after one that has to wait
 * for another server.
 */
export const oneByOne = <Input, Output>(
  run: (context: WriteContext, input: Input) => Promise<Output>,
): BulkOperation<Input, Output> => ({
  async run(context, inputs) {
    const outputs: Output[] = [];
    for (const input of inputs) {
      outputs.push(await run(context, input));
      if (context.counts.pending_events > 0) break;
    }
    return outputs;
  },
});

interface Waiting {
  operation: BulkOperation<unknown, unknown>;
  input: unknown;
  size: WriteSize;
  /** Adds the steps of its group to its trace; null: it has none. */
  tell: ((steps: readonly PastStep[]) => void) | null;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface Queue {
  target: WriteTarget;
  waiting: Waiting[];
}

export class PostgresWriter {
  readonly #database: PostgresDatabase;
  readonly #statistics: PlannerStatistics;
  readonly #queues = new Map<string, Queue>();
  readonly #running = new Set<Promise<void>>();
  readonly #budget = new WriteBudget();

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#statistics = new PlannerStatistics(database);
  }

  get load(): { queuedRecords: number; queuedBatches: number } {
    return this.#budget.load;
  }

  submit<Input, Output>(
    target: WriteTarget,
    operation: BulkOperation<Input, Output>,
    input: Input,
    size: WriteSize,
  ): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#budget.take(target.account_id, size);
      const waiting: Waiting = {
        operation: operation as BulkOperation<unknown, unknown>,
        input,
        size,
        tell: pastSteps(),
        resolve: resolve as (output: unknown) => void,
        reject,
      };
      const queue = this.#queues.get(target.dataset_id);
      if (queue) {
        queue.waiting.push(waiting);
        return;
      }
      const started: Queue = { target, waiting: [waiting] };
      this.#queues.set(target.dataset_id, started);
      const running = onBehalfOf(target.account_id, () => this.#drain(started)).finally(() =>
        this.#running.delete(running),
      );
      this.#running.add(running);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#running);
    await this.#statistics.close();
  }

  async #drain(queue: Queue): Promise<void> {
    // Requests that arrive in the same turn start together.
    await Promise.resolve();
    while (queue.waiting.length > 0) {
      const group = takeGroup(queue.waiting);
      await this.#runGroup(queue.target, group);
      for (const { size } of group) {
        this.#budget.giveBack(queue.target.account_id, size);
        this.#statistics.wrote(size.records);
      }
    }
    this.#queues.delete(queue.target.dataset_id);
  }

  /** Never rejects: each request is settled. */
  async #runGroup(target: WriteTarget, group: readonly Waiting[]): Promise<void> {
    let waiting = group;
    try {
      while (waiting.length > 0) {
        const outputs = await this.#writeTimed(target, waiting);
        outputs.forEach((output, i) => {
          waiting[i].resolve(output);
        });
        waiting = waiting.slice(outputs.length);
      }
    } catch (error) {
      // The failure of one request must not affect the others.
      if (waiting.length > 1 && isOfOne(error)) {
        for (const request of waiting) await this.#runGroup(target, [request]);
      } else {
        for (const { reject } of waiting) reject(error);
      }
    }
  }

  /** Writes the group. Each request's trace gets all steps of the group. */
  async #writeTimed(target: WriteTarget, group: readonly Waiting[]): Promise<unknown[]> {
    if (group.every(({ tell }) => tell === null)) return this.#write(target, group);
    const log = new StepLog();
    const step: TimedStep = (name, work) => log.step(name, work);
    try {
      return await step('write group', () => this.#write(target, group, step));
    } finally {
      for (const { tell } of group) tell?.(log.steps);
    }
  }

  /** Returns the outputs of the first requests of the group, durable on every server. */
  async #write(target: WriteTarget, group: readonly Waiting[], step?: TimedStep): Promise<unknown[]> {
    let isPending = false;
    const write = async (context: WriteContext): Promise<unknown[]> => {
      if (context.counts.pending_events > 0) await settleOutbox(context);
      const responses: unknown[] = [];
      for (const { operation, inputs } of runsOfOneKind(group)) {
        responses.push(...(await operation.run(context, inputs)));
        isPending = context.counts.pending_events > 0;
        if (isPending) break;
      }
      return responses;
    };
    const outputs = await writeTransaction(this.#database, target, write, { step });
    if (isPending) await settle(this.#database, target);
    return outputs;
  }
}

/** Whether the error may be the fault of one request of a group. */
function isOfOne(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === 'PLAN_LIMIT_EXCEEDED';
}

function takeGroup(waiting: Waiting[]): Waiting[] {
  let count = 0;
  for (let weight = 0; count < waiting.length && weight < MAX_GROUP_RECORDS; count++) {
    weight += weightOf(waiting[count].size);
  }
  return waiting.splice(0, count);
}

function* runsOfOneKind(
  group: readonly Waiting[],
): Generator<{ operation: BulkOperation<unknown, unknown>; inputs: unknown[] }> {
  for (let from = 0; from < group.length; ) {
    const { operation } = group[from];
    let to = from;
    while (to < group.length && group[to].operation === operation) to++;
    yield { operation, inputs: group.slice(from, to).map(({ input }) => input) };
    from = to;
  }
}
