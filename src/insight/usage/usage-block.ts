// What a querying job reads: usage of every user, in blocks. Implemented by insight/usage/usage-of-users.ts over a trained model;
// a query knows nothing of models.

/** What a user's usage rests on, by its number in a block. */
export const BASES = ['history', 'attributes', 'popularity'] as const;

/** Users first … first + count − 1, in a fixed order. The arrays are only valid until the next block is taken. */
export interface UsageBlock {
  readonly first: number;
  readonly count: number;
  /** count × pairs, row-major */
  readonly usages: Float32Array;
  /** index into BASES of each user */
  readonly basis: Uint8Array;
}

export interface UserIds {
  readonly length: number;
  at(user: number): string | undefined;
}
