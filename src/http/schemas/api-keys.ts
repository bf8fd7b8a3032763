// Schemas of API keys.
import { Type } from 'typebox';
import { type ApiKey, KEY_KINDS } from '../../domain/account.ts';
import { MAX_ORIGIN_LENGTH } from '../../domain/origin.ts';
import { nullable, oneOf, TimeMs } from './common.ts';
import { openAs } from './named.ts';

const MAX_SCOPES = 200;
const MAX_ORIGINS = 20;

export const Scopes = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: MAX_SCOPES,
  description: 'Operation paths, or `*`. Default: what the token of this call covers.',
});

export const Origins = Type.Array(Type.String({ minLength: 1, maxLength: MAX_ORIGIN_LENGTH }), {
  minItems: 1,
  maxItems: MAX_ORIGINS,
  description: 'For `browser` keys, required: exact origins of the pages that use it, such as `https://shop.example`.',
});

export const Kind = oneOf(KEY_KINDS, {
  description:
    '`secret` (default): for programs, with a client secret. `browser`: public, for web pages: it may only track events, record impressions and call placements of one project.',
});

export const keyFields = {
  key_id: Type.String(),
  name: Type.String(),
  kind: oneOf(KEY_KINDS),
  hint: Type.String({ description: 'First characters of the key; of a browser key all of it.' }),
  scopes: Type.Array(Type.String(), {
    description:
      'Operation paths its tokens may cover, or `*`. Of a browser key `*` is all that browser keys may call.',
  }),
  origins: Type.Array(Type.String(), { description: 'Browser keys: the origins of pages that may use it.' }),
  project_id: nullable(Type.String({ description: 'Browser keys: their project.' })),
  expires_ts: nullable(TimeMs),
  rotated_ts: nullable(TimeMs),
  previous_secret_until_ts: nullable(
    Type.Integer({ description: 'Until when the secret from before the last rotation works, if it still does.' }),
  ),
  disabled: Type.Boolean(),
  created_ts: TimeMs,
};

export const KeyResponse = openAs('ApiKey', {
  ...keyFields,
  current: Type.Boolean({ description: 'The key of this call.' }),
});

/** The fields of a key that responses may contain. */
export function fieldsOf(key: ApiKey, nowMs: number) {
  const { key_id, name, kind, hint, scopes, origins, project_id, expires_ts, rotated_ts, disabled, created_ts } = key;
  const { previous_until_ts } = key;
  return {
    key_id,
    name,
    kind,
    hint,
    scopes: [...scopes],
    origins: [...origins],
    project_id,
    expires_ts,
    rotated_ts,
    previous_secret_until_ts: previous_until_ts !== null && previous_until_ts > nowMs ? previous_until_ts : null,
    disabled,
    created_ts,
  };
}

export const EXAMPLE_KEY = {
  key_id: 'key_01k9zq7f5h7k9m1p3r5t7w9y1a',
  name: 'ci',
  kind: 'secret',
  hint: 'kk_8dQw2',
  scopes: ['/recommend-items-to-user'],
  origins: [],
  project_id: null,
  expires_ts: 1_893_456_000_000,
  rotated_ts: null,
  previous_secret_until_ts: null,
  disabled: false,
  created_ts: 1_762_000_000_000,
} as const;
