// First come, first served within an account; accounts take turns.

export class FairQueue<T> {
  /** The account whose turn is next comes first. */
  readonly #byAccount = new Map<string, T[]>();

  add(accountId: string, entry: T): void {
    const entries = this.#byAccount.get(accountId);
    if (entries) entries.push(entry);
    else this.#byAccount.set(accountId, [entry]);
  }

  next(): T | undefined {
    for (const [accountId, entries] of this.#byAccount) {
      this.#byAccount.delete(accountId);
      const entry = entries.shift();
      if (entries.length > 0) this.#byAccount.set(accountId, entries);
      return entry;
    }
    return undefined;
  }
}
