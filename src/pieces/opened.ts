// Resources that the pieces of a job open once and share, such as a model with the catalog. They are closed before the pieces are
// joined, or with the last piece.
export class Opened {
  readonly #things = new Map<string, Promise<object>>();

  /** Returns the resource of this name. The first call opens it. */
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

/** Runs work with the resources that earlier pieces opened. If none are kept, closes what the work opens. */
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
