// Limits connections without an authenticated call: a number per address, and in total a share of the files the process may
// open. Beyond it the oldest one is closed, so a client that opens connections and leaves them idle loses those first. The
// first authenticated call removes a connection from the count for good, because proxies and clients keep theirs open.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { isIPv6, type Socket } from 'node:net';

export const DEFAULT_CONNECTIONS_PER_ADDRESS = 256;
/** Share of the process's limit of open files that connections may use. */
const SHARE_OF_FILES = 0.4;
/** Used if the system does not report the limit of open files. */
const ASSUMED_FILES = 1024;

export interface ConnectionLimits {
  /** 0 means no limit. */
  perAddress: number;
  total?: number;
}

interface Unproven {
  address: string;
  /** Connections of the same address, oldest first. */
  own: Set<Socket>;
}

export class ConnectionGuard {
  readonly #perAddress: number;
  readonly #total: number;
  /** Connections without an authenticated request yet, oldest first. */
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

  /** Called after the first authenticated call of a connection. */
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

/** For IPv6 returns the network, because whoever owns one address usually owns the whole network. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [before, after = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

/** The limit of open files of the process, including sockets. */
function openableFiles(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? ASSUMED_FILES : Number(soft);
  } catch {
    return ASSUMED_FILES;
  }
}
