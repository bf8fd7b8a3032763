// Handles the unread rest of a request whose response was sent early: the client may finish its body, so that it reads
// the response, but must not hold the connection forever.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Runtime } from '../base/runtime.ts';

/** How long the client may take to send the rest. */
const UNREAD_BODY_MS = 10_000;
/** After these statuses the rest may never come: the body stalled, or the service stops. */
const NOT_AWAITED = [408, 503];

/** Node reads the rest after the response, until this ends it. */
export function endUnreadBody({ raw }: FastifyRequest, runtime: Runtime): void {
  if (raw.complete) return;
  const timer = runtime.after(UNREAD_BODY_MS, () => raw.socket.destroy(), { background: true });
  raw.once('close', () => timer.cancel());
}

/**
 * Reads the rest of a body before it closes the connection, as the client asked. Otherwise a client that is still sending would
 * not get the response.
 */
export function readToEndBeforeClosing(app: FastifyInstance, runtime: Runtime): void {
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.complete || raw.destroyed || reply.raw.shouldKeepAlive || NOT_AWAITED.includes(reply.statusCode)) {
      return done(null, payload);
    }
    const send = (): void => {
      timer.cancel();
      raw.off('end', send).off('close', send);
      done(null, payload);
    };
    const timer = runtime.after(UNREAD_BODY_MS, send, { background: true });
    raw.once('end', send).once('close', send).resume();
  });
}
