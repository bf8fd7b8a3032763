// Shopify's toxiproxy: TCP connections that are slow, cut, or open without a word. Needs Go, which builds it once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { goProgram } from '../support/go-program.ts';

const PROGRAM = { name: 'toxiproxy', path: 'github.com/Shopify/toxiproxy/v2/cmd/server', version: '2.5.0' };

/** What a connection suffers; the attributes are those of toxiproxy. `down` is toward the client. */
export interface Toxic {
  type: 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'reset_peer' | 'slicer' | 'limit_data';
  stream?: 'up' | 'down';
  attributes: Record<string, number>;
}

type ApiCall = (method: string, path: string, body?: object) => Promise<void>;

/** Leads to one port. */
export class Line {
  readonly name: string;
  readonly port: number;
  readonly #call: ApiCall;
  #toxics = 0;

  constructor(name: string, port: number, call: ApiCall) {
    this.name = name;
    this.port = port;
    this.#call = call;
  }

  /** Closes all connections and takes no more. */
  cut(): Promise<void> {
    return this.#call('POST', `/proxies/${this.name}`, { enabled: false });
  }

  restore(): Promise<void> {
    return this.#call('POST', `/proxies/${this.name}`, { enabled: true });
  }

  /** Poisons connections, open and new ones, until the work is done. */
  async during<T>(toxics: readonly Toxic[], work: () => Promise<T>): Promise<T> {
    const names = toxics.map(() => `toxic${this.#toxics++}`);
    for (const [n, { type, stream = 'down', attributes }] of toxics.entries()) {
      const toxic = { name: names[n], type, stream: `${stream}stream`, attributes };
      await this.#call('POST', `/proxies/${this.name}/toxics`, toxic);
    }
    try {
      return await work();
    } finally {
      for (const name of names) await this.#call('DELETE', `/proxies/${this.name}/toxics/${name}`);
    }
  }

  /** Packets go nowhere, and nobody is told: as when a cable is pulled. */
  async halfOpen<T>(work: () => Promise<T>): Promise<T> {
    const silence = (stream: 'up' | 'down'): Toxic => ({ type: 'timeout', stream, attributes: { timeout: 0 } });
    return this.during([silence('up'), silence('down')], work);
  }
}

export class Toxiproxy {
  readonly #child: ChildProcess;
  readonly #api: string;

  private constructor(child: ChildProcess, api: string) {
    this.#child = child;
    this.#api = api;
  }

  static async start(): Promise<Toxiproxy> {
    const program = goProgram(PROGRAM);
    const port = await freePort();
    const child = spawn(program, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' });
    const server = new Toxiproxy(child, `http://127.0.0.1:${port}`);
    for (let tries = 0; ; tries++) {
      const isUp = await fetch(`http://127.0.0.1:${port}/version`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return server;
      if (child.exitCode !== null || tries === 300) throw new Error('toxiproxy did not start');
      await sleep(50);
    }
  }

  async proxy(name: string, upstreamPort: number): Promise<Line> {
    const port = await freePort();
    const call = this.#call.bind(this);
    await call('POST', '/proxies', {
      name,
      listen: `127.0.0.1:${port}`,
      upstream: `127.0.0.1:${upstreamPort}`,
      enabled: true,
    });
    return new Line(name, port, call);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  async #call(method: string, path: string, body?: object): Promise<void> {
    const response = await fetch(`${this.#api}${path}`, { method, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`toxiproxy: ${method} ${path}: ${response.status} ${await response.text()}`);
  }
}
