// How often browsers may call: per key, so that a page does not take more of its account than was meant for it, and per address, so
// that one visitor does not use up the key of all. Each node counts for itself.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { AppError } from '../../errors.ts';
import { TokenBucket } from '../../serving/token-bucket.ts';

/** With a burst of one second. */
export const BROWSER_RATES = { perKey: 500, perAddress: 20 };

const CACHE_BYTES = 4 * 1024 * 1024;
const BUCKET_BYTES = 120;

export class BrowserPace {
  readonly #rates: typeof BROWSER_RATES;
  readonly #buckets = new BoundedCache<string, TokenBucket>({
    name: 'browser_pace',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, who) => textBytes(who) + BUCKET_BYTES,
  });

  constructor(rates = BROWSER_RATES) {
    this.#rates = rates;
  }

  /** Throws when one of the two is exceeded. `network`: what counts as one address; `nowMs`: of a monotonic clock. */
  admit(keyId: string, network: string, nowMs: number): void {
    const ofAddress = this.#bucket(`address ${network}`, this.#rates.perAddress, nowMs);
    const addressWaitMs = ofAddress.take(nowMs);
    if (addressWaitMs > 0) throw tooMany('from this address', addressWaitMs);
    const keyWaitMs = this.#bucket(`key ${keyId}`, this.#rates.perKey, nowMs).take(nowMs);
    if (keyWaitMs === 0) return;
    ofAddress.giveBack();
    throw tooMany('with this key', keyWaitMs);
  }

  #bucket(who: string, ratePerSec: number, nowMs: number): TokenBucket {
    const known = this.#buckets.get(who);
    if (known !== undefined) return known;
    const bucket = new TokenBucket(ratePerSec, nowMs);
    this.#buckets.set(who, bucket);
    return bucket;
  }
}

const tooMany = (which: string, waitMs: number): AppError =>
  new AppError('RATE_LIMITED', `Too many calls ${which}. Try again in a moment.`, { retryAfterSec: waitMs / 1000 });
