// A queue in which accounts take turns. Within an account, entries keep their order.

export class FairQueue<T> {
  /** The account whose turn is next comes first. */
  readonly #byAccount = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of waiting entries of the account. */
  sizeOf(accountId: string): number {
    return this.#byAccount.get(accountId)?.length ?? 0;
  }

  add(accountId: string, entry: T): void {
    const entries = this.#byAccount.get(accountId);
    if (entries) entries.push(entry);
    else this.#byAccount.set(accountId, [entry]);
    this.#size++;
  }

  /** The next entry in turn, of the accounts that may have one now; the others keep their turn. */
  next(mayHave: (accountId: string) => boolean = () => true): T | undefined {
    for (const [accountId, entries] of this.#byAccount) {
      if (!mayHave(accountId)) continue;
      this.#byAccount.delete(accountId);
      const entry = entries.shift();
      if (entries.length > 0) this.#byAccount.set(accountId, entries);
      this.#size--;
      return entry;
    }
    return undefined;
  }

  /** Removes and returns all entries. */
  drain(): T[] {
    const all = [...this.#byAccount.values()].flat();
    this.#byAccount.clear();
    this.#size = 0;
    return all;
  }
}
