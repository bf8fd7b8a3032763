// The one-time link with which whoever started the service signs in to the console: a code that works once, for a short
// time, from this machine only, and is exchanged for the credentials that lie in the data folder.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../../domain/credentials.ts';

const LIFE_MS = 30 * 60_000;

export class SignInCode {
  readonly code = randomBytes(24).toString('base64url');
  readonly #expiresAtMs = Date.now() + LIFE_MS;
  #credentials: Credentials | null;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** The credentials, once; null when the code is wrong, used or too old. */
  redeem(code: string, nowMs: number = Date.now()): Credentials | null {
    const [given, kept] = [Buffer.from(code), Buffer.from(this.code)];
    if (given.length !== kept.length || !timingSafeEqual(given, kept) || nowMs > this.#expiresAtMs) return null;
    const credentials = this.#credentials;
    this.#credentials = null;
    return credentials;
  }
}

const LOOPBACK_ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

export const isLoopbackHost = (host: string): boolean => LOOPBACK_ADDRESS.test(host) || host === 'localhost';

/** From this machine, and asked for by a loopback name: a foreign page whose name was made to point here is refused. */
export function isLocalCall(remoteAddress: string | undefined, hostHeader: string | undefined): boolean {
  return LOOPBACK_ADDRESS.test(remoteAddress ?? '') && LOOPBACK_NAME.test(hostHeader ?? '');
}
