// What the pieces of a job open once and use one after the other, such as a model with the catalog. Closed before they are joined, or
// with the last of them.
export class Opened {
  readonly #things = new Map<string, Promise<object>>();

  /** The thing of this name, opened by the first who asks. */
  once<T extends object>(name: string, open: () => Promise<T>): Promise<T> {
    let thing = this.#things.get(name);
    if (thing === undefined) {
      thing = open();
      this.#things.set(name, thing);
    }
    return thing as Promise<T>;
  }

  async close(): Promise<void> {
    const things = await Promise.allSettled(this.#things.values());
    this.#things.clear();
    for (const thing of things) if (thing.status === 'fulfilled') await closed(thing.value);
  }
}

/** With what earlier pieces opened. Where nothing is kept, what the work opens is closed with it. */
export async function withOpened<T>(kept: Opened | undefined, work: (opened: Opened) => Promise<T>): Promise<T> {
  if (kept) return work(kept);
  const opened = new Opened();
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

async function closed(thing: { close?(): Promise<void> }): Promise<void> {
  await thing.close?.();
}
