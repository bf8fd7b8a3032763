// One read of the store shared by many calls. Each call must see what was stored when it began, so it may share a read that
// starts after it, never one that started before. A read that waits for nothing is done at once and needs no sharing.

export class SharedLook<T> {
  readonly #read: () => T | Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(read: () => T | Promise<T>) {
    this.#read = read;
  }

  /** The result of a read that starts now or later. */
  take(): T | Promise<T> {
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

  #begin(): T | Promise<T> {
    const look = this.#read();
    if (!(look instanceof Promise)) return look;
    const running = look.finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}
