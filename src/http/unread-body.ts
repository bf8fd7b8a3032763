// What is left of a request whose response was sent before its end.
import type { FastifyRequest } from 'fastify';

/** Limit for the rest. */
const UNREAD_BODY_MS = 10_000;

/** A client rejected while sending may finish its body, so that it reads the response, but not hold the connection forever. */
export function endUnreadBody({ raw }: FastifyRequest): void {
  if (raw.complete) return;
  const timer = setTimeout(() => raw.socket.destroy(), UNREAD_BODY_MS).unref();
  raw.once('close', () => clearTimeout(timer));
}
