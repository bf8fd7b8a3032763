// Connections that have not carried a call with valid credentials: an address may hold some, all addresses together a share of
// what the process may open. Beyond it the oldest of them is closed, so whoever opens connections and leaves them unfinished
// loses those first. The first authenticated call of a connection takes it out of the count for good, as proxies and clients
// keep theirs.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export const DEFAULT_CONNECTIONS_PER_ADDRESS = 256;
/** Of the files the process may open. */
const SHARE_OF_FILES = 0.4;
/** Where the system does not tell how many these are. */
const ASSUMED_FILES = 1024;

export interface ConnectionLimits {
  /** 0: no limit. */
  perAddress: number;
  total?: number;
}

interface Unproven {
  address: string;
  /** Of its address, oldest first. */
  own: Set<Socket>;
}

export class ConnectionGuard {
  readonly #perAddress: number;
  readonly #total: number;
  /** Oldest first. */
  readonly #unproven = new Map<Socket, Unproven>();
  readonly #byAddress = new Map<string, Set<Socket>>();

  constructor({ perAddress, total = Math.floor(openableFiles() * SHARE_OF_FILES) }: ConnectionLimits) {
    this.#perAddress = perAddress;
    this.#total = total;
  }

  get unproven(): number {
    return this.#unproven.size;
  }

  watch(server: Server): void {
    if (this.#perAddress > 0) server.on('connection', (socket) => this.#add(socket));
  }

  /** The connection has carried a call with valid credentials. */
  proven(socket: Socket): void {
    const unproven = this.#unproven.get(socket);
    if (unproven === undefined) return;
    const { address, own } = unproven;
    this.#unproven.delete(socket);
    own.delete(socket);
    if (own.size === 0) this.#byAddress.delete(address);
  }

  #add(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '');
    const own = this.#byAddress.get(address) ?? new Set();
    own.add(socket);
    this.#byAddress.set(address, own);
    this.#unproven.set(socket, { address, own });
    socket.once('close', () => this.proven(socket));
    if (own.size > this.#perAddress) this.#close(own.keys());
    if (this.#unproven.size > this.#total) this.#close(this.#unproven.keys());
  }

  #close(sockets: Iterator<Socket>): void {
    const oldest: Socket = sockets.next().value;
    this.proven(oldest);
    oldest.destroy();
  }
}

/** Of IPv6 the network, as whoever has an address has all of its network. */
function networkOf(address: string): string {
  const isVersion6 = address.includes(':') && !address.startsWith('::ffff:');
  return isVersion6 ? address.split(':').slice(0, 4).join(':') : address;
}

/** How many files the process may open, sockets included. */
function openableFiles(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? ASSUMED_FILES : Number(soft);
  } catch {
    return ASSUMED_FILES;
  }
}
