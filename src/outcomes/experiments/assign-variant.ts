// Assigns a variant to a user or visitor. It depends only on the ids, so every node assigns the same one and no table is needed.
import { createHash } from 'node:crypto';

export interface VariantShare {
  readonly name: string;
  /** greater than 0; the shares of an experiment need not sum to 1 */
  readonly share: number;
}

/** Returns the same variant for the same ids. Over many users each variant gets its share, independently of other experiments. */
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

/** A number from the text, uniform in [0, 1). */
function unit(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, HASH_BYTES) / 2 ** (8 * HASH_BYTES);
}
