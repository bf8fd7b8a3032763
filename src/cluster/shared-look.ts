// One read of the store shared by many calls. Each call must see what was stored when it began, so it may share a read that
// starts after it, never one that started before.

export class SharedLook<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  /** Resolves to the result of a read that starts now or later. */
  take(): Promise<T> {
    if (this.#running === null) return this.#begin();
    // The running read may have started before this call, so all calls that arrive meanwhile share the next one.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<T> {
    const look = this.#read().finally(() => {
      if (this.#running === look) this.#running = null;
    });
    this.#running = look;
    return look;
  }
}
