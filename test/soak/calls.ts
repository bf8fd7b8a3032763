// Every call of every client goes through here. It must succeed unless a fault explains why it did not: one that was under way on its
// node, on a line of its node that the call needs, or on the database. A client repeats a write until it is acknowledged, and each
// failure on the way is judged.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCaller, CallResponse } from '../support/service.ts';
import type { Bystander } from './bystander.ts';
import type { CallKind, Ledger } from './ledger.ts';
import type { ApiPlace, Nodes } from './nodes.ts';

const CALL_TIMEOUT_MS = 15_000;
const REPEAT_MS = 100;

/** Without its artifacts a node cannot load a model that it does not have yet, nor remove a file, nor erase a user from results. */
const NEEDS_ARTIFACTS: ReadonlySet<CallKind> = new Set(['recommendation', 'model deletion', 'event deletion']);

export type Send = (api: ApiCaller) => Promise<CallResponse>;
/** What is wrong with a response; null: nothing. */
type Judge = (response: CallResponse) => string | null;

export interface TimedResponse extends CallResponse {
  place: ApiPlace;
  calledMs: number;
  returnedMs: number;
}

export interface CallsParts {
  nodes: Nodes;
  ledger: Ledger;
  bystander: Pick<Bystander, 'wasStarved'>;
}

export class Calls {
  readonly #parts: CallsParts;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** Sends the call once; null: it failed. */
  async once(kind: CallKind, place: ApiPlace, send: Send, judge: Judge = refusal): Promise<TimedResponse | null> {
    const calledMs = performance.now();
    this.#parts.ledger.calls[kind].calls++;
    let failure: string | null;
    try {
      const response = await within(send(place.current.caller));
      failure = judge(response);
      if (failure === null) return { ...response, place, calledMs, returnedMs: performance.now() };
    } catch (error) {
      failure = String((error as Error)?.cause ?? error);
    }
    this.#judge(kind, place, calledMs, failure);
    return null;
  }

  /** Sends the call, to one node after the other, until it returns one of the statuses. */
  async untilAcknowledged(
    kind: CallKind,
    send: Send,
    { first = 0, wanted = [200] }: { first?: number; wanted?: readonly number[] } = {},
  ): Promise<TimedResponse> {
    const { apis } = this.#parts.nodes;
    for (let attempt = first; ; attempt++) {
      const response = await this.once(kind, apis[attempt % apis.length], send);
      if (response === null) await delay(REPEAT_MS);
      else if (wanted.includes(response.status)) return response;
      else throw new Error(`${kind} was refused: ${response.status} ${JSON.stringify(response.body)}`);
    }
  }

  #judge(kind: CallKind, place: ApiPlace, calledMs: number, failure: string): void {
    const { nodes, ledger, bystander } = this.#parts;
    const counts = ledger.calls[kind];
    const returnedMs = performance.now();
    const cause =
      nodes.shared.causeOf(calledMs, returnedMs) ??
      place.disturbances.causeOf(calledMs, returnedMs, (cause) => cause !== 'artifacts' || NEEDS_ARTIFACTS.has(kind));
    if (cause !== null) {
      counts.excused++;
      ledger.excusedBy[cause] = (ledger.excusedBy[cause] ?? 0) + 1;
    } else if (bystander.wasStarved(calledMs)) counts.starved++;
    else {
      counts.failed++;
      const seconds = ((returnedMs - calledMs) / 1000).toFixed(1);
      ledger.complain(`${kind} on ${place.name} after ${seconds} s: ${failure}`);
    }
  }
}

/** What says that the call is not to blame, and may be repeated. */
function refusal({ status, body }: CallResponse): string | null {
  return status >= 500 || status === 429 ? `status ${status} ${JSON.stringify(body)}` : null;
}

/** A paused node does not respond: after a while the call is given up. */
async function within(response: Promise<CallResponse>): Promise<CallResponse> {
  response.catch(() => {});
  const timeout = new AbortController();
  try {
    return await Promise.race([
      response,
      delay(CALL_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
        throw new Error(`no answer in ${CALL_TIMEOUT_MS} ms`);
      }),
    ]);
  } finally {
    timeout.abort();
  }
}
