// Where the process is in its life, as HTTP sees it: starting → ready → stopping. Calls are answered only while ready.
import { AppError } from '../errors.ts';

export class Lifecycle {
  #state: 'starting' | 'ready' | 'stopping' = 'starting';

  get state(): 'starting' | 'ready' | 'stopping' {
    return this.#state;
  }
  ready(): void {
    if (this.#state === 'starting') this.#state = 'ready';
  }
  stopping(): void {
    this.#state = 'stopping';
  }

  /** The error to answer with, or null when calls are served. */
  refusal(): AppError | null {
    if (this.#state === 'ready') return null;
    return this.#state === 'starting'
      ? new AppError('STARTING', 'The service is starting. Try again in a moment.', { retryAfterSec: 1 })
      : new AppError('SHUTTING_DOWN', 'The service is shutting down. Try again.', { retryAfterSec: 1 });
  }
}
