// A budget for bytes of bodies or responses in memory over all connections: a flood is rejected instead of growing the heap.
// An account may use as much as it leaves free, so at most half. Others always find room, however much it sends or leaves
// unread.

export class ByteBudget {
  readonly #limitBytes: number;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#held;
  }

  hasRoom(accountId: string, bytes: number): boolean {
    const ofAccount = (this.#heldBy.get(accountId) ?? 0) + bytes;
    return ofAccount <= this.#limitBytes - (this.#held + bytes);
  }

  /** Returns false and takes nothing if there is no room. */
  take(accountId: string, bytes: number): boolean {
    if (!this.hasRoom(accountId, bytes)) return false;
    this.#heldBy.set(accountId, (this.#heldBy.get(accountId) ?? 0) + bytes);
    this.#held += bytes;
    return true;
  }

  giveBack(accountId: string, bytes: number): void {
    const ofAccount = (this.#heldBy.get(accountId) ?? 0) - bytes;
    if (ofAccount > 0) this.#heldBy.set(accountId, ofAccount);
    else this.#heldBy.delete(accountId);
    this.#held -= bytes;
  }
}
