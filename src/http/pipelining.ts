// Limits calls in flight per connection. A client may send calls without waiting for responses (pipelining), and Node begins each as
// soon as its headers are there: calls beyond the limit wait here, and nothing more is read from their connection. What waits is in
// the one piece of at most 64 KiB that was read last.
import { AsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const MAX_IN_FLIGHT = 8;

const lines = new WeakMap<Socket, Line>();

/** Runs before any other hook, so that a waiting request costs only what was read of it. */
export function limitPipelining(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    let line = lines.get(socket);
    if (line === undefined) {
      line = new Line(socket);
      lines.set(socket, line);
    }
    line.enter(reply.raw, done);
  });
}

/**
 * Whether reading stopped when the connection's last call came. Then a timeout of the request after it is no fault of the client; if
 * it stays silent, the keep-alive timeout closes the connection.
 */
export function wasHeldUp(socket: Socket): boolean {
  return lines.get(socket)?.wasHeldUp ?? false;
}

class Line {
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  wasHeldUp = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node resumes it for each body that is read and after each complete request.
    socket.on('resume', () => {
      if (this.#waiting.length > 0) this.#stopReading();
    });
  }

  enter(response: ServerResponse, begin: () => void): void {
    response.once('close', () => this.#leave());
    this.wasHeldUp = this.#inFlight === MAX_IN_FLIGHT;
    if (!this.wasHeldUp) {
      this.#inFlight++;
      begin();
    } else {
      // The request starts when another one ends, and must not run in the context of that one: its account, its trace.
      this.#waiting.push(AsyncResource.bind(begin));
      this.#stopReading();
    }
  }

  /**
   * Node begins to read when 'resume' is emitted, a tick after resume(), even if the socket was paused meanwhile. pause() would then
   * do nothing, and only its event stops Node.
   */
  #stopReading(): void {
    this.#socket.pause();
    this.#socket.emit('pause');
  }

  #leave(): void {
    if (this.#socket.destroyed) return;
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#inFlight--;
      return;
    }
    next();
    if (this.#waiting.length === 0) this.#socket.resume();
  }
}
