// The input of a querying job: the usage of every user, in blocks. insight/usage/usage-of-users.ts implements it with a
// trained model; a query does not depend on models.

/** What a user's usage is based on. Blocks refer to it by index. */
export const BASES = ['history', 'attributes', 'popularity'] as const;

/** Users first … first + count − 1, in a fixed order. The arrays are only valid until the next block is taken. */
export interface UsageBlock {
  readonly first: number;
  readonly count: number;
  /** count × pairs numbers, row by row */
  readonly usages: Float32Array;
  /** index into BASES of each user */
  readonly basis: Uint8Array;
}

export interface UserIds {
  readonly length: number;
  at(user: number): string | undefined;
}
