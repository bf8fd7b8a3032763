// Work that is looked for again and again while the service runs, never twice at once. A look that fails is told and made again.
import { type Runtime, systemRuntime, type Timer } from '../base/runtime.ts';

export interface LookParts {
  look(): Promise<void>;
  /** pause from the end of one look to the start of the next */
  readonly pauseMs: number;
  onError(error: unknown): void;
  readonly runtime?: Runtime;
}

export class RepeatedLook {
  readonly #parts: LookParts;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  /** Lets long looks end early. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    const { look, onError, pauseMs, runtime = systemRuntime } = this.#parts;
    this.#timer = runtime.after(pauseMs, () => {
      this.#looking = look()
        .catch(onError)
        .then(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  /** Resolves when the look under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#looking;
  }
}
