// Decides whether a failed call may be sent again, and after how long.
// Invariant: a call that may not be repeated is sent again only if the service surely did nothing: it said so (408, 429, or a
// 503 of its own before any work), its token was refused, or no connection was made at all.
import type { KindredError } from './kindred-error.ts';

export interface RetryPolicy {
  /** Further attempts after the first; 0 turns retries off. */
  maxRetries: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxRetries: 5, baseDelayMs: 200, maxDelayMs: 10_000 };

/** The service returns these before it has changed anything. */
const REFUSED_BEFORE_WORK = new Set(['REQUEST_TIMEOUT', 'RATE_LIMITED', 'OVERLOADED', 'STARTING', 'SHUTTING_DOWN']);
/** Causes under Node's fetch that mean no connection was made, so nothing can have been sent. Browsers do not tell. */
const NOTHING_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** A longer Retry-After (a proxy, maintenance) is not waited for; the error is thrown instead. */
const LONGEST_PAUSE_SEC = 60;

export function mayRetry(error: KindredError, repeatable: boolean): boolean {
  if ((error.retryAfterSec ?? 0) > LONGEST_PAUSE_SEC) return false;
  if (error.status === 429 || REFUSED_BEFORE_WORK.has(error.code)) return true;
  if (error.code === 'CONNECTION_FAILED') return repeatable || NOTHING_SENT.has(causeCode(error.cause));
  return repeatable && (error.status === 503 || error.code === 'TIMEOUT');
}

/** Full jitter over a doubling window, never sooner than Retry-After. */
export function retryDelayMs(
  attempt: number,
  error: KindredError,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number {
  const windowMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** attempt);
  const askedMs = error.retryAfterSec === undefined ? 0 : error.retryAfterSec * 1000;
  return askedMs + random() * windowMs;
}

export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function causeCode(cause: unknown): string {
  let current: unknown = cause;
  for (let depth = 0; depth < 4 && typeof current === 'object' && current !== null; depth++) {
    const { code, cause: next, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === 'string') return code;
    // Happy eyeballs: one error for each address that was tried.
    current = next ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return '';
}
