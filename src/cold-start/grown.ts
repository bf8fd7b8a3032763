/** A copy with room for at least `length` entries, twice as large as before: growing entry by entry stays cheap. */
export function grown(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(length, 64, array.length * 2));
  larger.set(array);
  return larger;
}
