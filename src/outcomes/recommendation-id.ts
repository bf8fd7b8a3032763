// The id of every list. It contains where the list came from and is signed, so that any node can attribute an event with it
// without a table of all lists. What the parts mean: domain/recommendation.ts.
//
// Invariants:
// - An id that was changed, or made for another account, is refused; the account is part of the key and of the head.
// - Two lists never share an id, however many are made in one millisecond.

import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { userHash } from '../base/id-hash.ts';
import { type Runtime, systemRuntime } from '../base/runtime.ts';
import { newSecret } from '../base/system.ts';
import { AccountSigner, SIGNATURE_LENGTH } from '../domain/account-signer.ts';
import {
  isSameSeries,
  MAX_RECOMMENDATION_ID_LENGTH,
  originKey,
  packList,
  packOrigin,
  RANDOM_AT,
  RANDOM_BYTES,
  type Recommendation,
  type RecommendationOrigin,
  readRecommendation,
  splitId,
  TAIL_BYTES,
  TAIL_LENGTH,
} from '../domain/recommendation.ts';
import type { AccountStore } from '../store/registry-store.ts';

export { MAX_RECOMMENDATION_ID_LENGTH, type Recommendation, type RecommendationOrigin };

/** Facts about a list that its id carries besides the origin. */
export interface ServedList {
  readonly items: number;
  /** null for a list for no particular user */
  readonly userId: string | null;
}

const CACHE_BYTES = 2 * 1024 * 1024;
const HEAD_BYTES = 600;
/** Random bytes are drawn for many ids at once: a draw costs as much as the rest of an id. */
const POOLED_IDS = 512;

/** The secret with which all nodes sign. */
export function responseSecret(accounts: Pick<AccountStore, 'sharedSecret'>): Promise<string> {
  return accounts.sharedSecret('answers', () => newSecret(32));
}

export class RecommendationIds {
  readonly #signer: AccountSigner;
  readonly #heads = new BoundedCache<string, string>({
    name: 'recommendation_heads',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, key) => textBytes(key) + HEAD_BYTES,
  });
  #last: { origin: RecommendationOrigin; head: string } | null = null;
  readonly #tail = Buffer.alloc(TAIL_BYTES);
  readonly #random = Buffer.alloc(POOLED_IDS * RANDOM_BYTES);
  readonly #runtime: Pick<Runtime, 'randomBytes'>;
  #used = POOLED_IDS;

  /** `secret`: one that all nodes share. */
  constructor(secret: string, runtime: Pick<Runtime, 'randomBytes'> = systemRuntime) {
    this.#runtime = runtime;
    this.#signer = new AccountSigner(secret, 'recommendation-id');
  }

  make(origin: RecommendationOrigin, { items, userId }: ServedList, nowMs: number): string {
    const { accountId } = origin;
    const head = this.#headOf(origin);
    const tail = this.#tail;
    packList(tail, { createdMs: nowMs, items, userHash: userId === null ? 0 : userHash(accountId, userId) });
    if (this.#used === POOLED_IDS) {
      this.#random.set(this.#runtime.randomBytes(this.#random.length));
      this.#used = 0;
    }
    const from = this.#used++ * RANDOM_BYTES;
    this.#random.copy(tail, RANDOM_AT, from, from + RANDOM_BYTES);
    const signed = `${head}.${tail.toString('base64url')}`;
    return signed + this.#signer.sign(accountId, signed);
  }

  #headOf(origin: RecommendationOrigin): string {
    const { accountId, modelId } = origin;
    const last = this.#last;
    if (last?.origin.accountId === accountId && last.origin.modelId === modelId && isSameSeries(last.origin, origin)) {
      return last.head;
    }
    const key = `${accountId}\n${modelId ?? ''}\n${originKey(origin)}`;
    const head = this.#heads.getOrMake(key, () => packOrigin(origin).toString('base64url'));
    this.#last = { origin, head };
    return head;
  }

  /** Returns null if the id is forged, changed, or of another account. */
  read(accountId: string, id: string): Recommendation | null {
    const parts = splitId(id);
    if (parts === null || id.length !== parts.tailAt + TAIL_LENGTH + SIGNATURE_LENGTH) return null;
    const signatureAt = parts.tailAt + TAIL_LENGTH;
    if (!this.#signer.isSigned(accountId, id.slice(0, signatureAt), id.slice(signatureAt))) return null;
    const recommendation = readRecommendation(id);
    return recommendation?.accountId === accountId ? recommendation : null;
  }
}
