// The seam for counting over all events: what an implementation counts out of the histories it was given. Results are equal to the
// last bit whoever counts (dataset/fixed-point.ts); test/contract/event-aggregation.test.ts demands it of every implementation. What is
// done with the rows (solving, scaling, blending) is the same for all and is not part of it. What is counted out of the events
// themselves (statistics of types and times, popularity, the events of users who are asked) needs sums per item alone: it is a fold
// over parts of the events (dataset/training-events.ts), held to the same rule by test/contract/training-events.test.ts.
//
// A history has each item once, oldest first, with a weight. Of equal values the smaller column is kept. Rows come with their
// columns ascending.

/** Rows with room for `slot` entries each; `counts` says how many are used. Made by the caller, filled by the implementation. */
export interface CountedRows {
  readonly slot: number;
  readonly counts: Uint32Array;
  readonly columns: Uint32Array;
}

export interface CooccurrenceRows extends CountedRows {
  /** sums by the first scale, which chooses what is kept */
  readonly first: Float32Array;
  readonly second: Float32Array;
  /** sums of each item with itself, the two scales side by side */
  readonly diagonals: Float32Array;
}

export interface TransitionRows extends CountedRows {
  /** sums times the column's scale */
  readonly values: Float32Array;
  /** sums of whole rows, without the column's scale */
  readonly sums: Float32Array;
}

/** Weight of a user by the length of the history, in fixed point. Entry 0 is not used. */
export type LengthScales = readonly [first: Uint32Array, second: Uint32Array];

export interface LagWeights {
  /** what an item adds to the one `lag` places later, and below earlier; in fixed point, by lag; entry 0 is not used */
  readonly forward: Uint32Array;
  readonly backward: Uint32Array;
  readonly columnScales: Float32Array;
}

export interface EventAggregation {
  readonly itemCount: number;
  /** length of the longest history */
  readonly longest: number;
  /** Returns the number of users of each item. */
  counts(): Promise<Uint32Array>;
  /** Row i: over all users with i, scale · weight of i · weight of j. */
  cooccurrence(scales: LengthScales, into: CooccurrenceRows): Promise<void>;
  /** Row i: what comes after i, and with `backward` before it, by how far away it is. */
  transitions(weights: LagWeights, into: TransitionRows): Promise<void>;
}
