// Which items changed, in order, for those who follow a catalog.

/** Changes that are kept, at most. */
const KEPT = 65_536;

export class ChangeLog {
  #version = 0;
  /** the last changes: #items[n] is the item of version #start + n + 1 */
  #items: number[] = [];
  #start = 0;

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  add(item: number): void {
    this.#version++;
    this.#items.push(item);
    if (this.#items.length > KEPT) {
      this.#items = this.#items.slice(KEPT / 2);
      this.#start = this.#version - this.#items.length;
    }
  }

  /** Items that changed after a version (some perhaps twice); null if that is too long ago to know. */
  since(version: number): number[] | null {
    return version < this.#start ? null : this.#items.slice(version - this.#start);
  }
}
