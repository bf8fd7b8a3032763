// Which variant a user or visitor gets. It follows from the ids alone, so every node gives the same one and no table is kept.
import { createHash } from 'node:crypto';

export interface VariantShare {
  readonly name: string;
  /** above 0; the shares of an experiment need not sum to 1 */
  readonly share: number;
}

/** The same for the same ids; over many users each variant gets its share, whatever other experiments run. */
export function assignVariant(experimentId: string, userId: string, variants: readonly VariantShare[]): string {
  const total = variants.reduce((sum, { share }) => sum + share, 0);
  let left = unit(`${experimentId}\n${userId}`) * total;
  for (const { name, share } of variants) {
    left -= share;
    if (left < 0) return name;
  }
  return variants[variants.length - 1].name;
}

const HASH_BYTES = 6;

/** Uniform in [0, 1). */
function unit(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, HASH_BYTES) / 2 ** (8 * HASH_BYTES);
}
