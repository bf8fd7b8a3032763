// Identifiers created by the service: a prefix by kind and a part that sorts by time, e.g. `prj_01k9zq4m2v8h3c7f5x1d0b6n9e`.
// 48 bits of milliseconds, then 80 random bits, in Crockford's base 32 (lower case).
import type { Runtime } from '../base/runtime.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

const ID_PREFIXES = {
  account: 'acc',
  key: 'key',
  user: 'uds',
  item: 'ids',
  event: 'eds',
  project: 'prj',
  algorithm: 'alg',
  model: 'mdl',
  job: 'job',
  audit: 'aud',
  session: 'ses',
  webhook: 'whk',
  decision: 'dec',
  experiment: 'exp',
} as const;

export type IdSource = Pick<Runtime, 'nowMs' | 'randomBytes'>;

export function newId(kind: keyof typeof ID_PREFIXES, source: IdSource, nowMs: number = source.nowMs()): string {
  let value = BigInt(nowMs);
  for (const byte of source.randomBytes(10)) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let digit = 0; digit < 26; digit++) {
    text = ALPHABET[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return `${ID_PREFIXES[kind]}_${text}`;
}
