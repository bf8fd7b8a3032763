// One read of the store shared by many calls. Each call must see what was stored when it began, so it may share a read that
// starts after it, never one that started before. Reads that wait never overlap.
//
// A read that waits for nothing is shared by all that run before the next event is handled: they began before it.

export class SharedLook<T> {
  readonly #read: () => T | Promise<T>;
  #fresh: { readonly found: T } | null = null;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(read: () => T | Promise<T>) {
    this.#read = read;
  }

  /** The result of a read that starts now or later, or that no event has come after. */
  take(): T | Promise<T> {
    if (this.#fresh !== null) return this.#fresh.found;
    if (this.#next !== null) return this.#next;
    if (this.#running === null) return this.#begin();
    // The running read may have started before this call, so all calls that arrive meanwhile share the next one.
    this.#next = this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): T | Promise<T> {
    const look = this.#read();
    if (!(look instanceof Promise)) {
      this.#fresh = { found: look };
      // Runs when all promises that are settled by now have been followed.
      process.nextTick(this.#forget);
      return look;
    }
    const running = look.finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }

  readonly #forget = (): void => {
    this.#fresh = null;
  };
}
