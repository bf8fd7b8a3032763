// Classes of request bodies. Each route declares its class; the limits apply after decompression.

const KIB = 1024;

export interface BodyLimits {
  readonly maxBytes: number;
  /** Objects, arrays and their elements, which cost time and memory to parse. */
  readonly maxValues: number;
}

export const BODY_CLASSES = {
  /** Used for calls without credentials. */
  anonymous: { maxBytes: 64 * KIB, maxValues: 1000 },
  /** The default of routes. */
  small: { maxBytes: 64 * KIB, maxValues: 20_000 },
  /** Used by calls that recommend or rank, and by calls with up to a thousand ids. */
  medium: { maxBytes: 512 * KIB, maxValues: 20_000 },
  /** Used for impressions, which have many short ids. */
  impressions: { maxBytes: 512 * KIB, maxValues: 30_000 },
  /** Used for upserts, which parser threads parse and check. */
  bulk: { maxBytes: 64 * KIB * KIB, maxValues: 2_000_000 },
} as const satisfies Record<string, BodyLimits>;

export type BodyClass = keyof typeof BODY_CLASSES;

export const MAX_BODY_BYTES = BODY_CLASSES.bulk.maxBytes;
