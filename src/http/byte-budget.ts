// Bytes of bodies, or of answers, in memory, over all connections: beyond the limit a flood is refused instead of growing the
// heap. An account may hold as much as it leaves free, alone at most half: however much it sends or does not read, others find
// room.

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

  /** False when there is no room, and then nothing is taken. */
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
