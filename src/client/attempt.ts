// One attempt of a call: its time limit, its abort signal, and the errors that the caller gets.
import { KindredError } from './kindred-error.ts';

interface Target {
  operation: string;
  url: string;
  timeoutMs: number;
  /** The caller's abort signal. */
  signal: AbortSignal | undefined;
}

export class Attempt {
  readonly #target: Target;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort(this.#target.signal?.reason);

  constructor(target: Target) {
    target.signal?.throwIfAborted();
    this.#target = target;
    target.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The signal to pass to `fetch`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Does a part of the attempt that waits for the service. Each has the whole time limit. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#controller.abort(), this.#target.timeoutMs);
    try {
      this.signal.throwIfAborted();
      return await work();
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits for work that other callers share, which continues if this attempt ends. Errors of the work are passed on unchanged.
   */
  async wait<T>(work: () => Promise<T>): Promise<T> {
    const result = await this.step(() => {
      const settled = work().then(
        (value) => () => value,
        (error: unknown) => (): T => {
          throw error;
        },
      );
      return Promise.race([settled, endOf(this.signal)]);
    });
    return result();
  }

  end(): void {
    this.#target.signal?.removeEventListener('abort', this.#onAbort);
  }

  #failure(error: unknown): unknown {
    if (error instanceof KindredError) return error;
    const { operation, url, timeoutMs, signal } = this.#target;
    if (signal?.aborted) return signal.reason;
    const [code, message] = this.signal.aborted
      ? ['TIMEOUT', `${operation} did not respond within ${timeoutMs} ms`]
      : ['CONNECTION_FAILED', `${operation}: no connection to ${new URL(url).origin}${reasonOf(error)}`];
    return new KindredError(message, { code, status: 0, operation, cause: error });
  }
}

function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const text = cause instanceof Error ? cause.message : error instanceof Error ? error.message : '';
  return text === '' ? '' : ` (${text})`;
}
