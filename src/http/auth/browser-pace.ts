// Limits how often browsers may call: per key, so that a page does not use more of its account than intended, and per address, so
// that one visitor does not use up the rate of all. Each node counts for itself.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { AppError } from '../../errors.ts';
import { TokenBucket } from '../../serving/token-bucket.ts';

/** Requests per second. Bursts may reach the number of one second. */
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

  /** Throws if the address has used its rate. `network` is what counts as one address. `nowMs` is on a monotonic clock. */
  admitAddress(network: string, nowMs: number): void {
    const waitMs = this.#ofAddress(network, nowMs).take(nowMs);
    if (waitMs > 0) throw tooMany('from this address', waitMs);
  }

  /** Call it after the address was admitted, so that requests refused here do not count for the address. */
  admitKey(keyId: string, network: string, nowMs: number): void {
    const waitMs = this.#bucket(`key ${keyId}`, this.#rates.perKey, nowMs).take(nowMs);
    if (waitMs === 0) return;
    this.#ofAddress(network, nowMs).giveBack();
    throw tooMany('with this key', waitMs);
  }

  #ofAddress(network: string, nowMs: number): TokenBucket {
    return this.#bucket(`address ${network}`, this.#rates.perAddress, nowMs);
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
