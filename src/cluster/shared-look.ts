// One look at the store for many calls. Each call must see what was stored when it began: it may share a look that begins after
// it, never one that had begun before.

export class SharedLook<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  /** Resolves to what a look that begins now, or later, finds. */
  take(): Promise<T> {
    if (this.#running === null) return this.#begin();
    // The running look may have read before this call began: all who come meanwhile share the one after it.
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
