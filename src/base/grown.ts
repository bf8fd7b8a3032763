// Typed arrays that grow.

/** A larger array with what the old one has. */
export function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** A copy with room for at least `length` entries, twice as large as before: growing entry by entry stays cheap. */
export function doubled(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return grown(array, new Uint32Array(Math.max(length, 64, array.length * 2)));
}
