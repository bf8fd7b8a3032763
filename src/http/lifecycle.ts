// The lifecycle of the process: starting → ready → stopping. Calls are served only while ready.
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

  /** The error to respond with, or null while calls are served. */
  refusal(): AppError | null {
    if (this.#state === 'ready') return null;
    return this.#state === 'starting'
      ? new AppError('STARTING', 'The service is starting. Try again in a moment.', { retryAfterSec: 1 })
      : new AppError('SHUTTING_DOWN', 'The service is shutting down. Try again.', { retryAfterSec: 1 });
  }
}
