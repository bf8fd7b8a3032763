// Signs values that clients send back to the service (recommendation ids, page tokens), so that no table of them is needed.
// Every account has its own key, derived from one secret that all nodes share, so a value signed for one account is invalid in
// another.
//
// The signature is HMAC-SHA-256, computed by two one-shot hashes: every response needs one, and an Hmac object costs four
// times as much as both.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';

/** 96 bits: too many to guess online, and short in a URL. */
export const SIGNATURE_BYTES = 12;
/** length of a signature in base64url */
export const SIGNATURE_LENGTH = 16;
/** SHA-256 works on blocks of 64 bytes and gives 32. */
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const CACHED_KEY_BYTES = 1024 * 1024;
/** Estimated bytes of a cached key besides its texts. */
const KEY_OBJECT_BYTES = 500;

/** The key as HMAC uses it: the text before the message, and the bytes before its hash. */
interface PaddedKey {
  readonly inner: string;
  readonly outer: Buffer;
}

export class AccountSigner {
  readonly #secret: string;
  readonly #purpose: string;
  readonly #keys = new BoundedCache<string, PaddedKey>({
    name: 'account_keys',
    maxBytes: CACHED_KEY_BYTES,
    bytesOf: (_, accountId) => textBytes(accountId) + KEY_OBJECT_BYTES,
  });

  /** A value signed for one purpose is invalid for another. */
  constructor(secret: string, purpose: string) {
    this.#secret = secret;
    this.#purpose = purpose;
  }

  /** base64url, SIGNATURE_LENGTH characters. */
  sign(accountId: string, message: string): string {
    const { inner, outer } = this.#keys.getOrMake(accountId, () => padded(this.keyOf(accountId)));
    outer.write(hash('sha256', inner + message, 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'base64url').slice(0, SIGNATURE_LENGTH);
  }

  isSigned(accountId: string, message: string, signature: string): boolean {
    const given = Buffer.from(signature, 'latin1');
    return given.length === SIGNATURE_LENGTH && timingSafeEqual(given, Buffer.from(this.sign(accountId, message)));
  }

  keyOf(accountId: string): string {
    return createHmac('sha256', this.#secret)
      .update(`${this.#purpose}\n${accountId}`)
      .digest('hex')
      .slice(0, HASH_BYTES);
  }
}

/** Keys are plain ASCII, so that the padded text has one byte a character. */
function padded(key: string): PaddedKey {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(key, 'latin1');
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at++) outer[at] = block[at] ^ 0x5c;
  return { inner: String.fromCharCode(...block.map((byte) => byte ^ 0x36)), outer };
}
