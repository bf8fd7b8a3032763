// How much a user's events with an item count as a positive signal, the same in training and in serving:
// log2(1 + Σ type weight · value), so that one plain target event weighs 1 and many or large ones only a few times that.

/** Larger values count like this one: no single event outweighs all others. */
export const MAX_EVENT_VALUE = 1e6;

/** What one event adds to the sum; 0 for what is no positive signal. */
export function eventStrength(typeWeight: number, value: number): number {
  return value > 0 ? typeWeight * Math.min(value, MAX_EVENT_VALUE) : 0;
}

/** Never 0: a sum that decayed to nothing still is an entry. */
export function entryWeight(strength: number): number {
  return Math.max(1e-6, Math.log2(1 + strength));
}
