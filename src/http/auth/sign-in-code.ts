// The one-time link that signs the person who started the service in to the console. Its code works once, for a short time
// and only from this machine, and is exchanged for the credentials in the data folder.
import { timingSafeEqual } from 'node:crypto';
import { newSecret } from '../../base/system.ts';
import type { Credentials } from '../../domain/credentials.ts';

const LIFE_MS = 30 * 60_000;

export class SignInCode {
  readonly code = newSecret(24);
  readonly #expiresAtMs: number;
  #credentials: Credentials | null;

  constructor(credentials: Credentials, nowMs: number) {
    this.#expiresAtMs = nowMs + LIFE_MS;
    this.#credentials = credentials;
  }

  /** Returns the credentials once; null if the code is wrong, used or expired. */
  redeem(code: string, nowMs: number): Credentials | null {
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

/** True for requests from this machine to a loopback name. The name check stops DNS rebinding by foreign pages. */
export function isLocalCall(remoteAddress: string | undefined, hostHeader: string | undefined): boolean {
  return LOOPBACK_ADDRESS.test(remoteAddress ?? '') && LOOPBACK_NAME.test(hostHeader ?? '');
}
