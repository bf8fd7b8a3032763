// The API thread's side of the parser threads: a few threads, started on first use, each with one body at a time.
// An account never holds all of them, however long the store lets its bodies wait, and accounts take turns: one that sends many large
// bodies delays only itself.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FairPlaces } from '../../base/fair-places.ts';
import { pastSteps } from '../../base/trace.ts';
import type { AttributeSchema } from '../../domain/dataset.ts';
import { AppError } from '../../errors.ts';
import { CLIENT_GONE } from '../problem.ts';
import type { Batch, BULK_BODIES, CheckedBatch, CheckInputs } from './bulk-bodies.ts';
import { type ParserReply, type ParserRequest, toAppError } from './parser-protocol.ts';

const MAX_THREADS = 4;
/** At least 3, because one account may use two of them at most. */
const MIN_THREADS = 3;
/** Heap limit of one thread; beyond it the thread ends and its body is rejected. */
const MAX_HEAP_MB = 1024;
const THREAD_FILE = new URL(`./parser-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export interface ReceivedBody {
  accountId: string;
  name: keyof typeof BULK_BODIES;
  /** Each block owns its memory, because the blocks are transferred to the thread. */
  blocks: readonly Uint8Array<ArrayBuffer>[];
  contentEncoding: string | undefined;
  /** Called when the request's turn comes: false if its client is gone. */
  isWanted(): boolean;
}

export interface OpenedBody {
  frame: Record<string, unknown>;
  batch: Batch;
}

export class ParserPool {
  readonly #heapMb: number;
  readonly #idle: ParserThread[] = [];
  readonly #places: FairPlaces;

  constructor({ threads = defaultThreads(), heapMb = MAX_HEAP_MB } = {}) {
    this.#places = new FairPlaces({ places: threads, placesOfAccount: Math.max(1, threads - 1) });
    this.#heapMb = heapMb;
  }

  /** Inflates and parses the body and checks its frame. The batch must then be checked or dropped, because its thread waits. */
  async open({ accountId, name, blocks, contentEncoding, isWanted }: ReceivedBody): Promise<OpenedBody> {
    const turn = this.#places.enter(accountId);
    if (turn !== null) await turn;
    const thread = this.#idle.pop() ?? new ParserThread(this.#heapMb);
    const giveBack = (): void => {
      this.#idle.push(thread);
      this.#places.leave(accountId);
    };
    try {
      if (!isWanted()) throw CLIENT_GONE;
      const tellSteps = pastSteps();
      const request = { step: 'open' as const, name, blocks, contentEncoding, traced: tellSteps !== null };
      const { frame, steps = [] } = await thread.ask(
        request,
        blocks.map(({ buffer }) => buffer),
      );
      tellSteps?.(steps);
      return { frame, batch: new RemoteBatch(thread, giveBack) };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map((thread) => thread.stop()));
  }
}

function defaultThreads(): number {
  return Math.min(MAX_THREADS, Math.max(MIN_THREADS, Math.floor(availableParallelism() / 2)));
}

class RemoteBatch implements Batch {
  readonly #thread: ParserThread;
  #giveBack: (() => void) | null;

  constructor(thread: ParserThread, giveBack: () => void) {
    this.#thread = thread;
    this.#giveBack = giveBack;
  }

  async check(schema: AttributeSchema | null, given: CheckInputs): Promise<CheckedBatch> {
    const giveBack = this.#end();
    if (giveBack === null) throw new Error('The batch was already checked or dropped.');
    try {
      const tellSteps = pastSteps();
      const { checked, steps = [] } = await this.#thread.ask({
        step: 'check',
        schema,
        given,
        traced: tellSteps !== null,
      });
      tellSteps?.(steps);
      return checked;
    } finally {
      giveBack();
    }
  }

  drop(): void {
    const giveBack = this.#end();
    if (giveBack === null) return;
    this.#thread.tell({ step: 'drop' });
    giveBack();
  }

  #end(): (() => void) | null {
    const giveBack = this.#giveBack;
    this.#giveBack = null;
    return giveBack;
  }
}

type AskingStep = Exclude<ParserRequest['step'], 'drop'>;
type RequestOf<S extends ParserRequest['step']> = Extract<ParserRequest, { step: S }>;
type ReplyTo<S extends AskingStep> = Extract<ParserReply, { step: S }>;

class ParserThread {
  readonly #heapMb: number;
  #worker: Worker | null = null;
  #asked: { resolve(reply: ParserReply): void; reject(error: Error): void } | null = null;

  constructor(heapMb: number) {
    this.#heapMb = heapMb;
  }

  /** Sends a request. Only one may be pending at a time. */
  ask<S extends AskingStep>(request: RequestOf<S>, transfer: readonly ArrayBuffer[] = []): Promise<ReplyTo<S>> {
    return new Promise((resolve, reject) => {
      this.#asked = { resolve: resolve as (reply: ParserReply) => void, reject };
      const worker = this.#started();
      worker.ref();
      worker.postMessage(request, transfer);
    });
  }

  tell(request: RequestOf<'drop'>): void {
    this.#worker?.postMessage(request);
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(THREAD_FILE, { resourceLimits: { maxOldGenerationSizeMb: this.#heapMb } });
    const settled = () => {
      const asked = this.#asked;
      this.#asked = null;
      // An idle thread must not keep the process alive if the pool was not closed.
      worker.unref();
      return asked;
    };
    worker.on('message', (reply: ParserReply) => {
      const asked = settled();
      if (reply.step === 'refused') asked?.reject(toAppError(reply.error));
      else asked?.resolve(reply);
    });
    const lost = (cause?: unknown): void => {
      if (this.#worker !== worker) return;
      // The next body starts a new thread.
      this.#worker = null;
      settled()?.reject(toError(cause));
    };
    worker.on('error', lost);
    worker.on('exit', () => lost());
    this.#worker = worker;
    return worker;
  }
}

function toError(cause: unknown): Error {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new AppError('BODY_TOO_LARGE', 'The body needs too much memory to parse. Send smaller batches.', {
      cause,
    });
  }
  return cause instanceof Error ? cause : new Error('A parser thread ended.');
}
