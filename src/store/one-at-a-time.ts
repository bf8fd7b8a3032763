// Runs work under a name one after the other, within this process.

export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(work);
    this.#last.set(name, mine);
    const forget = () => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  }
}
