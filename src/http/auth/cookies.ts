// The two cookies of the console: the session, and a sign-in that is under way. Scripts cannot read them, and other sites' pages
// cannot send them with their calls. Over HTTPS the name's prefix makes browsers take them from this host alone.
import type { FastifyReply, FastifyRequest } from 'fastify';

const MAX_COOKIE_LENGTH = 4096;

export type SameSite = 'Strict' | 'Lax';

export class HostCookie {
  readonly #name: string;
  readonly #sameSite: SameSite;
  readonly #isSecure: () => boolean;

  constructor(name: string, sameSite: SameSite, isSecure: () => boolean) {
    this.#name = name;
    this.#sameSite = sameSite;
    this.#isSecure = isSecure;
  }

  read({ headers }: FastifyRequest): string | null {
    const name = this.#fullName();
    for (const pair of (headers.cookie ?? '').split(';')) {
      const at = pair.indexOf('=');
      if (at < 0 || pair.slice(0, at).trim() !== name) continue;
      const value = pair.slice(at + 1).trim();
      return value !== '' && value.length <= MAX_COOKIE_LENGTH ? value : null;
    }
    return null;
  }

  write(reply: FastifyReply, value: string, lifeSec: number): void {
    const secure = this.#isSecure() ? '; Secure' : '';
    const rules = `Path=/; Max-Age=${lifeSec}; HttpOnly; SameSite=${this.#sameSite}${secure}`;
    const own = `${this.#fullName()}=${value}; ${rules}`;
    // Written with every response that names its session, so an earlier one of this response is replaced.
    const others = [reply.getHeader('set-cookie') ?? []].flat().map(String);
    reply.header('cache-control', 'no-store');
    reply.removeHeader('set-cookie');
    reply.header('set-cookie', [...others.filter((text) => !text.startsWith(`${this.#fullName()}=`)), own]);
  }

  clear(reply: FastifyReply): void {
    this.write(reply, '', 0);
  }

  #fullName(): string {
    return this.#isSecure() ? `__Host-${this.#name}` : this.#name;
  }
}
