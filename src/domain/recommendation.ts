// Reads and writes the content of a recommendation id, without its signature (outcomes/recommendation-id.ts). The store reads
// here which list an event came from. The signature was checked before that.
//
//   HEAD.TAIL   both base64url
//   HEAD        version, account, project, model, placement, variant, experiment: the same for all lists of one origin
//   TAIL        time (6 bytes, ms), random (6), number of items (2), who it was for (7), then the signature (12)
import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { DAY_MS } from '../base/durations.ts';

/** The origin of a list. */
export interface RecommendationOrigin {
  readonly accountId: string;
  readonly projectId: string;
  /** null if no model took part */
  readonly modelId: string | null;
  /** null: a call outside any placement */
  readonly placement: string | null;
  /** variant of an experiment; null if none ran */
  readonly variant: string | null;
  /** The experiment that chose the variant; left out: none. */
  readonly experimentId?: string | null;
}

/** Key of the lists that are counted together. It does not contain the model. */
export const originKey = ({ projectId, placement, experimentId, variant }: RecommendationOrigin): string =>
  `${projectId}\n${placement ?? ''}\n${experimentId ?? ''}\n${variant ?? ''}`;

/**
 * Whether the keys of the two would be equal. Compares without making the keys, because most successive calls have one origin.
 */
export const isSameSeries = (a: RecommendationOrigin, b: RecommendationOrigin): boolean =>
  a.projectId === b.projectId &&
  a.placement === b.placement &&
  a.variant === b.variant &&
  (a.experimentId ?? null) === (b.experimentId ?? null);

/** One list. Its time and random part together identify it. */
export interface Recommendation extends RecommendationOrigin {
  /** originKey, made once for all lists of one origin */
  readonly seriesKey: string;
  readonly createdMs: number;
  readonly random: number;
  /** number of items in the list */
  readonly items: number;
  /** id-hash.ts; 0: nobody in particular */
  readonly userHash: number;
}

/** Reads an id; null if it is forged, changed, or of another account. */
export type ReadList = (recommendationId: string) => Recommendation | null;

/** Limit for ids: names of placements and variants have at most 64 characters each. */
export const MAX_RECOMMENDATION_ID_LENGTH = 512;
/** Lists older than this are no longer counted: what is kept of each can go, and reports are final. */
export const MAX_LIST_AGE_MS = 31 * DAY_MS;

const VERSION = 2;
export const RANDOM_AT = 6;
export const RANDOM_BYTES = 6;
const ITEMS_AT = 12;
const USER_AT = 14;
export const TAIL_BYTES = 21;
/** length of the tail in base64url */
export const TAIL_LENGTH = 28;
export const MAX_LISTED = 0xffff;
const TWO_32 = 2 ** 32;

const ORIGIN_CACHE_BYTES = 2 * 1024 * 1024;
const ORIGIN_BYTES = 600;
type ReadOrigin = RecommendationOrigin & Pick<Recommendation, 'seriesKey'>;
const origins = new BoundedCache<string, ReadOrigin | 'unreadable'>({
  name: 'recommendation_origins',
  maxBytes: ORIGIN_CACHE_BYTES,
  bytesOf: (_, head) => textBytes(head) + ORIGIN_BYTES,
});

/** Writes all but the random bytes. */
export function packList(
  tail: Buffer,
  { createdMs, items, userHash }: Pick<Recommendation, 'createdMs' | 'items' | 'userHash'>,
): void {
  tail.writeUIntBE(createdMs, 0, RANDOM_AT);
  tail.writeUInt16BE(Math.min(items, MAX_LISTED), ITEMS_AT);
  tail.writeUIntBE(Math.floor(userHash / TWO_32), USER_AT, 3);
  tail.writeUInt32BE(userHash % TWO_32, USER_AT + 3);
}

/** The parts of an id; null: it is no id of this service. The signature is the caller's to check. */
export function splitId(id: string): { head: string; tailAt: number } | null {
  if (id.length > MAX_RECOMMENDATION_ID_LENGTH) return null;
  const dot = id.indexOf('.');
  return dot < 1 || id.length < dot + 1 + TAIL_LENGTH ? null : { head: id.slice(0, dot), tailAt: dot + 1 };
}

/** Returns null if the id is unreadable. */
export function readRecommendation(id: string): Recommendation | null {
  const parts = splitId(id);
  if (parts === null) return null;
  const { head, tailAt } = parts;
  const origin = origins.getOrMake(head, () => unpackOrigin(Buffer.from(head, 'base64url')));
  if (origin === 'unreadable') return null;
  const tail = Buffer.from(id.slice(tailAt, tailAt + TAIL_LENGTH), 'base64url');
  if (tail.length !== TAIL_BYTES) return null;
  return {
    ...origin,
    createdMs: tail.readUIntBE(0, RANDOM_AT),
    random: tail.readUIntBE(RANDOM_AT, RANDOM_BYTES),
    items: tail.readUInt16BE(ITEMS_AT),
    userHash: tail.readUIntBE(USER_AT, 3) * TWO_32 + tail.readUInt32BE(USER_AT + 3),
  };
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_BYTES = 16;
/** Stands for a length: the id was made by the service and is stored as its 16 bytes. */
const MADE = 255;

export function packOrigin(origin: RecommendationOrigin): Buffer {
  const { accountId, projectId, modelId, placement, variant, experimentId } = origin;
  return Buffer.concat([
    Buffer.of(VERSION),
    packId('acc', accountId),
    packId('prj', projectId),
    packId('mdl', modelId ?? ''),
    packText(placement ?? ''),
    packText(variant ?? ''),
    ...(experimentId ? [packId('exp', experimentId)] : []),
  ]);
}

/** Unreadable: made by a version of the service that this one does not know. */
function unpackOrigin(bytes: Buffer): ReadOrigin | 'unreadable' {
  if (bytes[0] !== VERSION) return 'unreadable';
  let at = 1;
  const next = (prefix: string): string => {
    if (at >= bytes.length) return '';
    const length = bytes[at++];
    const size = length === MADE ? ID_BYTES : length;
    const part = bytes.subarray(at, at + size);
    at += size;
    return length === MADE ? `${prefix}_${base32Of(part)}` : part.toString();
  };
  const [accountId, projectId, modelId, placement, variant, experimentId] = ['acc', 'prj', 'mdl', '', '', 'exp'].map(
    next,
  );
  const origin = {
    accountId,
    projectId,
    modelId: modelId || null,
    placement: placement || null,
    variant: variant || null,
    ...(experimentId && { experimentId }),
  };
  return { ...origin, seriesKey: originKey(origin) };
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
