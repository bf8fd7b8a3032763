// The id of every list. It contains where the list came from and is signed, so that any node can attribute an event with it
// without a table of all lists.
//
//   HEAD.TAIL   both base64url
//   HEAD        version, account, project, model, placement, variant: the same for all lists of one origin
//   TAIL        time (6 bytes, ms) and random (6), then the signature by the account's key over HEAD and both (12)
//
// Invariants:
// - An id that was changed, or made for another account, is refused; the account is part of the key and of the head.
// - Two lists never share an id, however many are made in one millisecond.
import { randomBytes, randomFillSync } from 'node:crypto';
import { AccountSigner, SIGNATURE_LENGTH } from '../domain/account-signer.ts';
import { BoundedCache, textBytes } from '../domain/bounded-cache.ts';
import type { AccountStore } from '../store/registry-store.ts';

/** Where a list came from. */
export interface RecommendationOrigin {
  readonly accountId: string;
  readonly projectId: string;
  /** null: no model took part */
  readonly modelId: string | null;
  /** null: a call outside any placement */
  readonly placement: string | null;
  /** of an experiment; null: none ran */
  readonly variant: string | null;
}

export interface Recommendation extends RecommendationOrigin {
  readonly createdMs: number;
}

/** No id is longer: names of placements and variants are at most 64 characters each. */
export const MAX_RECOMMENDATION_ID_LENGTH = 512;

const VERSION = 1;
const TIME_BYTES = 6;
const RANDOM_BYTES = 6;
const MOMENT_BYTES = TIME_BYTES + RANDOM_BYTES;
/** base64url */
const MOMENT_LENGTH = 16;
const CACHE_BYTES = 2 * 1024 * 1024;
const HEAD_BYTES = 600;
/** Random bytes are drawn for many ids at once: a draw costs as much as the rest of an id. */
const POOLED_IDS = 512;

/** What all nodes sign with. */
export function answerSecret(accounts: Pick<AccountStore, 'sharedSecret'>): Promise<string> {
  return accounts.sharedSecret('answers', () => randomBytes(32).toString('base64url'));
}

export class RecommendationIds {
  readonly #signer: AccountSigner;
  readonly #heads = headCache<string>('recommendation_heads');
  readonly #origins = headCache<RecommendationOrigin | 'unreadable'>('recommendation_origins');
  readonly #moment = Buffer.alloc(MOMENT_BYTES);
  readonly #random = Buffer.alloc(POOLED_IDS * RANDOM_BYTES);
  #used = POOLED_IDS;

  /** `secret`: one that all nodes share. */
  constructor(secret: string) {
    this.#signer = new AccountSigner(secret, 'recommendation-id');
  }

  make(origin: RecommendationOrigin, nowMs = Date.now()): string {
    const { accountId, projectId, modelId, placement, variant } = origin;
    const key = `${accountId}\n${projectId}\n${modelId ?? ''}\n${placement ?? ''}\n${variant ?? ''}`;
    const head = this.#heads.getOrMake(key, () => packOrigin(origin).toString('base64url'));
    const moment = this.#moment;
    moment.writeUIntBE(nowMs, 0, TIME_BYTES);
    if (this.#used === POOLED_IDS) {
      randomFillSync(this.#random);
      this.#used = 0;
    }
    const from = this.#used++ * RANDOM_BYTES;
    this.#random.copy(moment, TIME_BYTES, from, from + RANDOM_BYTES);
    const signed = `${head}.${moment.toString('base64url')}`;
    return signed + this.#signer.sign(accountId, signed);
  }

  /** null: forged, changed, or of another account. */
  read(accountId: string, id: string): Recommendation | null {
    const end = id.length - SIGNATURE_LENGTH;
    const dot = end - MOMENT_LENGTH - 1;
    if (id.length > MAX_RECOMMENDATION_ID_LENGTH || dot < 1 || id[dot] !== '.') return null;
    if (!this.#signer.isSigned(accountId, id.slice(0, end), id.slice(end))) return null;
    const head = id.slice(0, dot);
    const origin = this.#origins.getOrMake(head, () => unpackOrigin(Buffer.from(head, 'base64url')));
    if (origin === 'unreadable' || origin.accountId !== accountId) return null;
    return { ...origin, createdMs: Buffer.from(id.slice(dot + 1, end), 'base64url').readUIntBE(0, TIME_BYTES) };
  }
}

function headCache<T extends {}>(name: string) {
  return new BoundedCache<string, T>({
    ...{ name, maxBytes: CACHE_BYTES, bytesOf: (_: T, key: string) => textBytes(key) + HEAD_BYTES },
  });
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_BYTES = 16;
/** In place of a length: the id is one the service made, as its 16 bytes. */
const MADE = 255;

function packOrigin({ accountId, projectId, modelId, placement, variant }: RecommendationOrigin): Buffer {
  return Buffer.concat([
    Buffer.of(VERSION),
    packId('acc', accountId),
    packId('prj', projectId),
    packId('mdl', modelId ?? ''),
    packText(placement ?? ''),
    packText(variant ?? ''),
  ]);
}

/** Unreadable: made by a version of the service that this one does not know. */
function unpackOrigin(bytes: Buffer): RecommendationOrigin | 'unreadable' {
  if (bytes[0] !== VERSION) return 'unreadable';
  let at = 1;
  const next = (prefix: string): string => {
    const length = bytes[at++];
    const size = length === MADE ? ID_BYTES : length;
    const part = bytes.subarray(at, at + size);
    at += size;
    return length === MADE ? `${prefix}_${base32Of(part)}` : part.toString();
  };
  const [accountId, projectId, modelId, placement, variant] = ['acc', 'prj', 'mdl', '', ''].map(next);
  return { accountId, projectId, modelId: modelId || null, placement: placement || null, variant: variant || null };
}

function packId(prefix: string, id: string): Buffer {
  const digits = id.startsWith(`${prefix}_`) ? id.slice(prefix.length + 1) : '';
  if (digits.length !== 26) return packText(id);
  let value = 0n;
  for (const digit of digits) {
    const place = ALPHABET.indexOf(digit);
    if (place < 0) return packText(id);
    value = (value << 5n) | BigInt(place);
  }
  if (value >= 1n << 128n) return packText(id);
  return Buffer.concat([Buffer.of(MADE), Buffer.from(value.toString(16).padStart(2 * ID_BYTES, '0'), 'hex')]);
}

function base32Of(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < 26; digit++) {
    text = ALPHABET[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return text;
}

function packText(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length >= MADE) throw new RangeError(`A name in a recommendation id is too long: ${bytes.length} bytes.`);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}
