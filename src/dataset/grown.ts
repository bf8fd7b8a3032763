/** A larger array with what the old one has. */
export function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
