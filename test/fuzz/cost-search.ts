// The search for inputs that cost much. Of each route it keeps those that cost most processor time per byte sent and those that cost most
// memory per byte sent, and changes them.
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Random } from '../../src/base/seeded-random.ts';
import { fillPath, nameOf, type Operation } from './api-operations.ts';
import type { CostService } from './cost-service.ts';
import { changed, freshInput, type Input, plainInput, textOf } from './costly-inputs.ts';
import type { Cost } from './request-cost.ts';
import { FRAMES } from './request-frames.ts';

const KEPT = 3;
/** A garbage collection can fall into any request: what looks dear is sent again, and the smallest cost counts. */
const REPEATS = 2;

export interface Measured extends Cost {
  input: Input;
  /** as the socket counted them */
  bytes: number;
  /** 0: the connection broke. */
  status: number;
  /** the response, where it is an unexpected one */
  failure: string | null;
}

export const cpuPerKb = ({ cpuMs, bytes }: Measured): number => (cpuMs * 1024) / bytes;
export const memoryPerKb = ({ memoryMb, bytes }: Measured): number => (memoryMb * 1024) / bytes;

export const cpu = ({ cpuMs }: Measured): number => cpuMs;
export const memory = ({ memoryMb }: Measured): number => memoryMb;
export const stretch = ({ stretchMs }: Measured): number => stretchMs;

/** The search climbs on each of them. */
const MEASURES = [cpuPerKb, memoryPerKb, cpu, memory, stretch];

export class CostSearch {
  readonly #target: CostService;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** of each route, by each measure, the dearest first */
  readonly #kept = new Map<string, Measured[][]>();
  readonly failures: Measured[] = [];
  /** names of routes that took an input */
  readonly accepted = new Set<string>();
  requests = 0;

  constructor(target: CostService) {
    this.#target = target;
  }

  /** By route: the dearest by that measure. */
  worstBy(measure: (measured: Measured) => number): Measured[] {
    return [...this.#kept.values()]
      .map((lists) => lists.flat().reduce((a, b) => (measure(b) > measure(a) ? b : a)))
      .sort((a, b) => measure(b) - measure(a));
  }

  async tryOne(operation: Operation, random: Random): Promise<void> {
    const name = nameOf(operation);
    const lists = this.#kept.get(name);
    const input = lists === undefined ? plainInput(operation, random) : nextInput(operation, lists, random);
    await this.#keepDear(input, lists ?? MEASURES.map((): Measured[] => []));
  }

  async #keepDear(input: Input, lists: Measured[][]): Promise<void> {
    let measured = await this.measure(input);
    const isDear = MEASURES.some(
      (measure, n) => lists[n].length < KEPT || measure(measured) > measure(lists[n].at(-1)!),
    );
    for (let n = 0; isDear && n < REPEATS && measured.failure === null; n++) {
      measured = cheaper(measured, await this.measure(input));
    }
    const climb = (list: Measured[], n: number): Measured[] =>
      [...list, measured].sort((a, b) => MEASURES[n](b) - MEASURES[n](a)).slice(0, KEPT);
    this.#kept.set(nameOf(input.operation), lists.map(climb));
  }

  async measure(input: Input): Promise<Measured> {
    const { operation } = input;
    const { meter, credentials, spares } = this.#target;
    const ids = (await spares.idsFor(operation.path)) ?? this.#target.ids;
    const text = textOf(input, {
      known: (property) => [...(ids.get(property) ?? [])],
      brokenOneIn: 0,
    });
    const { headers, query, body } = FRAMES[input.frame]({ text, takesBody: operation.method !== 'GET', credentials });
    const path = fillPath(operation.path, ids);
    let sent: Sent = { status: 0, bytes: 1, failure: null };
    const cost = await meter.costOf(async () => {
      const target = query === '' ? path : `${path}?${query}`;
      sent = await this.#send(operation.method, target, headers, body);
    });
    this.requests++;
    const measured = { ...cost, input, ...sent };
    if (measured.failure !== null) this.failures.push(measured);
    if (measured.status >= 200 && measured.status < 400) {
      this.accepted.add(nameOf(operation));
      await spares.renew(operation.path);
    }
    return measured;
  }

  #send(method: string, path: string, headers: Record<string, string>, body: Uint8Array | null): Promise<Sent> {
    return new Promise((resolve) => {
      let before = 0;
      const length = body === null ? {} : { 'content-length': body.length };
      const call = request(`${this.#target.service.baseUrl}${path}`, {
        method,
        headers: { ...headers, ...length },
        agent: this.#agent,
      });
      const bytes = (): number => Math.max(1, (call.socket?.bytesWritten ?? 0) - before);
      call.on('socket', (socket) => {
        before = socket.bytesWritten;
      });
      const broken = (error: Error): void =>
        resolve({ status: 0, bytes: bytes(), failure: `The connection broke: ${error.message}` });
      call.on('error', broken);
      call.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('error', broken);
        response.on('data', (piece: string) => {
          if (text.length < 500) text += piece;
        });
        response.on('end', () => {
          const failure = isUnexpected(response) ? text.slice(0, 500) : null;
          resolve({ status: response.statusCode!, bytes: bytes(), failure });
        });
      });
      call.end(body ?? undefined);
    });
  }
}

/** Mostly a change of one of the dearest. */
function nextInput(operation: Operation, lists: Measured[][], random: Random): Input {
  const parents = lists[random.below(lists.length)];
  const parent = parents[random.below(parents.length)];
  return random.below(4) > 0 ? changed(parent.input, random) : freshInput(operation, random);
}

type Sent = Pick<Measured, 'status' | 'bytes' | 'failure'>;

/** A service that is busy says when to try again. */
const isUnexpected = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode! >= 500 && !(statusCode === 503 && headers['retry-after'] !== undefined);

const cheaper = (a: Measured, b: Measured): Measured => ({
  ...a,
  cpuMs: Math.min(a.cpuMs, b.cpuMs),
  apiMs: Math.min(a.apiMs, b.apiMs),
  stretchMs: Math.min(a.stretchMs, b.stretchMs),
  memoryMb: Math.min(a.memoryMb, b.memoryMb),
});
