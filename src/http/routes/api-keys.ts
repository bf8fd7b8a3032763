// API keys: create, list, rotate, disable. Whoever makes or rotates a key gets no more by it than they have, and nobody disables a key that
// has more: its scopes and its end stay within those of the call.
import { Type } from 'typebox';
import { type ApiKey, hasExpired, KEY_LIMITS, type KeyKind } from '../../domain/account.ts';
import { GRACE_HOURS, newBrowserKey, newCredentials, newRotation } from '../../domain/credentials.ts';
import { originProblem } from '../../domain/origin.ts';
import { EVERY_SCOPE, normalScopes, type Scopes, scopeBeyond } from '../../domain/scopes.ts';
import { AppError, invalidField, invalidFields } from '../../errors.ts';
import { pageOfAll } from '../../store/page.ts';
import type { AccountStore, ProjectStore } from '../../store/registry-store.ts';
import { projectById } from '../find-project.ts';
import { type Caller, defineRoute, type Route } from '../route.ts';
import {
  EXAMPLE_KEY,
  fieldsOf,
  KeyResponse,
  Kind,
  keyFields,
  Origins,
  Scopes as ScopesField,
} from '../schemas/api-keys.ts';
import { closed, Name, NextPageToken, open, pageQuery, ServiceId, TimeMs, toPageRequest } from '../schemas/common.ts';

export interface ApiKeyParts {
  accounts: AccountStore;
  projects: ProjectStore;
  /** Makes the change of a key effective on this node at once; others follow within seconds. */
  keysChanged(): Promise<void>;
  /** The scope of every operation, by its path and by the scope itself. */
  knownScopes(): ReadonlyMap<string, string>;
  /** The scopes of operations that browser keys may call. */
  browserScopes(): ReadonlyMap<string, string>;
}

const TOO_MANY_KEYS = {
  usable: `An account can have ${KEY_LIMITS.usable} active keys. Disable one you do not need (/disable-api-key).`,
  total:
    `An account can create ${KEY_LIMITS.total} keys, including disabled ones. ` +
    'The operator of the service can create more: kindred account keys NAME --create.',
};

export function apiKeyRoutes(parts: ApiKeyParts): Route[] {
  const { accounts, keysChanged } = parts;

  const findKey = async (accountId: string, keyId: string): Promise<ApiKey> => {
    const key = await accounts.getKey(accountId, keyId);
    if (key === null) throw keyNotFound(keyId);
    return key;
  };

  /** A key made with another key expires with it. A person may make keys that never expire. */
  const endOf = async ({ accountId, keyId, person }: Caller): Promise<Pick<ApiKey, 'expires_ts'>> =>
    person === undefined ? findKey(accountId, keyId) : { expires_ts: null };

  return [
    defineRoute({
      method: 'GET',
      path: '/list-api-keys',
      tag: 'Account',
      role: 'admin',
      summary: "List the account's API keys, newest first",
      query: closed(pageQuery),
      response: open({ api_keys: Type.Array(KeyResponse), next_page_token: NextPageToken }),
      errors: ['INVALID_PAGE_TOKEN'],
      examples: { request: {}, response: { api_keys: [{ ...EXAMPLE_KEY, current: true }], next_page_token: null } },
      async handler({ query, caller, runtime }) {
        const all = await accounts.listKeys(caller.accountId);
        const page = pageOfAll(all, toPageRequest(query), (key) => ({ ts: key.created_ts, id: key.key_id }));
        const nowMs = runtime.nowMs();
        const api_keys = page.entries.map((key) => toResponse(key, caller.keyId, nowMs));
        return { api_keys, next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/create-api-key',
      tag: 'Account',
      role: 'admin',
      summary: 'Create an API key',
      description: `The key and secret are in this response only. \`scopes\` limits what the key may call. It cannot exceed the scope of this call's token, which is also the default. The key expires no later than the key of this call. A \`browser\` key needs \`origins\` and \`project_id\`, has no secret, and its \`api_key\` is public. An account can have ${KEY_LIMITS.usable} active keys.`,
      body: closed({
        name: Name,
        kind: Type.Optional(Kind),
        scopes: Type.Optional(ScopesField),
        expires_ts: Type.Optional(
          Type.Unsafe<number>({
            ...TimeMs,
            description: 'When it stops working. Default: when the key of this call does.',
          }),
        ),
        origins: Type.Optional(Origins),
        project_id: Type.Optional(
          Type.Unsafe<string>({
            ...ServiceId,
            description: 'For `browser` keys, required: the one project it is for.',
          }),
        ),
      }),
      response: open({
        ...keyFields,
        api_key: Type.String(),
        client_secret: Type.Optional(Type.String({ description: 'Not of a browser key.' })),
      }),
      errors: ['PLAN_LIMIT_EXCEEDED', 'INSUFFICIENT_SCOPE', 'PROJECT_NOT_FOUND'],
      examples: {
        request: { name: 'ci', scopes: EXAMPLE_KEY.scopes, expires_ts: EXAMPLE_KEY.expires_ts },
        response: { ...EXAMPLE_KEY, api_key: 'kk_8dQw2…', client_secret: 'ks_Q7x…' },
      },
      async handler({ body, caller, reply, runtime }) {
        const { name, kind = 'secret', origins, project_id } = body;
        const maker = await endOf(caller);
        const scopes = chooseScopes(kind, body.scopes, caller, parts);
        const made = { name, scopes, expires_ts: readEnd(body, maker, runtime.nowMs()) };
        let key: ApiKey;
        let credentials: { api_key: string; client_secret?: string };
        if (kind === 'browser') {
          if (origins === undefined) throw invalidField('/origins', 'is required for a browser key');
          if (project_id === undefined) throw invalidField('/project_id', 'is required for a browser key');
          refuseWrongOrigins(origins);
          await projectById(parts.projects, caller.accountId, project_id);
          key = newBrowserKey(caller.accountId, { ...made, origins: [...new Set(origins)], project_id }, runtime);
          credentials = { api_key: key.key_id };
        } else {
          if (origins !== undefined) throw invalidField('/origins', 'is for browser keys');
          if (project_id !== undefined) throw invalidField('/project_id', 'is for browser keys');
          ({ key, credentials } = newCredentials(caller.accountId, made, runtime));
        }
        const outcome = await accounts.addKey(key, KEY_LIMITS);
        if (outcome !== 'added') throw new AppError('PLAN_LIMIT_EXCEEDED', TOO_MANY_KEYS[outcome]);
        reply.header('cache-control', 'no-store');
        return { ...fieldsOf(key, key.created_ts), ...credentials };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/rotate-api-key',
      tag: 'Account',
      role: 'admin',
      summary: 'Give an API key a new secret',
      description:
        'The new secret is in this response only. The old secret and its tokens work until the grace time ends; the API key does not change. A second rotation ends the oldest secret at once. The key must not cover more or last longer than the key of this call.',
      body: closed({
        key_id: ServiceId,
        grace_hours: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: GRACE_HOURS.max,
            default: GRACE_HOURS.byDefault,
            description: 'How long the old secret still works. 0: not at all, for a secret that leaked.',
          }),
        ),
      }),
      response: open({ ...keyFields, current: Type.Boolean(), client_secret: Type.String() }),
      errors: ['KEY_NOT_FOUND', 'INSUFFICIENT_SCOPE'],
      examples: {
        request: { key_id: EXAMPLE_KEY.key_id, grace_hours: GRACE_HOURS.byDefault },
        response: {
          ...EXAMPLE_KEY,
          rotated_ts: 1_762_500_000_000,
          previous_secret_until_ts: 1_762_586_400_000,
          current: false,
          client_secret: 'ks_Q7x…',
        },
      },
      async handler({ body: { key_id, grace_hours = GRACE_HOURS.byDefault }, caller, reply, runtime }) {
        const key = await findKey(caller.accountId, key_id);
        if (key.kind === 'browser') {
          throw invalidField(
            '/key_id',
            'is a browser key, which has no secret. Create another one and disable this one',
          );
        }
        const nowMs = runtime.nowMs();
        if (key.disabled || hasExpired(key, nowMs))
          throw invalidField('/key_id', 'is disabled or has expired. Create another key');
        refuseMoreThan(await endOf(caller), caller, key);
        const { client_secret, rotation } = newRotation(grace_hours, nowMs);
        const rotated = await accounts.rotateKey(caller.accountId, key_id, rotation);
        if (rotated === null) throw keyNotFound(key_id);
        await keysChanged();
        reply.header('cache-control', 'no-store');
        return { ...toResponse(rotated, caller.keyId, nowMs), client_secret };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/disable-api-key',
      tag: 'Account',
      role: 'admin',
      summary: 'Disable an API key',
      description:
        'Takes effect within 10 seconds on all nodes, including for tokens issued with the key. The key must not cover more or last longer than the key of this call. The last active key, and the last one that covers everything, cannot be disabled.',
      body: closed({ key_id: ServiceId }),
      response: KeyResponse,
      errors: ['KEY_NOT_FOUND', 'INSUFFICIENT_SCOPE', 'LAST_KEY'],
      examples: {
        request: { key_id: EXAMPLE_KEY.key_id },
        response: { ...EXAMPLE_KEY, disabled: true, current: false },
      },
      async handler({ body, caller, runtime }) {
        refuseMoreThan(await endOf(caller), caller, await findKey(caller.accountId, body.key_id));
        const key = await accounts.setKeyDisabled(caller.accountId, body.key_id, true);
        if (key === null) throw keyNotFound(body.key_id);
        if (key === 'last-key') {
          throw new AppError(
            'LAST_KEY',
            'This is the last active key of the account with these permissions. Create another one first.',
          );
        }
        await keysChanged();
        return toResponse(key, caller.keyId, runtime.nowMs());
      },
    }),
  ];
}

/** Defaults to the scopes of the call; for a browser key, to those of them that browsers may have. */
function chooseScopes(
  kind: KeyKind,
  asked: Scopes | undefined,
  caller: Caller,
  { knownScopes, browserScopes }: ApiKeyParts,
): Scopes {
  const known = kind === 'browser' ? browserScopes() : knownScopes();
  if (asked !== undefined) return readScopes(asked, caller.scopes, known);
  if (kind === 'secret' || caller.scopes.includes(EVERY_SCOPE)) return caller.scopes;
  const both = caller.scopes.filter((scope) => known.has(scope));
  if (both.length > 0) return both;
  throw new AppError('INSUFFICIENT_SCOPE', 'The token of this call covers nothing that a browser key may do.');
}

function readScopes(asked: Scopes, ofCaller: Scopes, known: ReadonlyMap<string, string>): Scopes {
  const unknown = asked.findIndex((scope) => scope !== EVERY_SCOPE && !known.has(scope));
  if (unknown >= 0) {
    const message = `It is not an operation's path, or not one for this kind of key. Use paths such as ${[...known.keys()][0]}, or *.`;
    throw new AppError('INVALID_REQUEST', 'scopes names an unknown operation.', {
      errors: [{ pointer: `/scopes/${unknown}`, message }],
    });
  }
  const scopes = normalScopes(asked.map((scope) => known.get(scope) ?? scope));
  const beyond = scopeBeyond(ofCaller, scopes);
  if (beyond === undefined) return scopes;
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    `The token of this call does not cover ${beyond}, so the new key cannot either.`,
  );
}

function readEnd(
  { expires_ts = null }: { expires_ts?: number | null },
  maker: Pick<ApiKey, 'expires_ts'>,
  nowMs: number,
): number | null {
  if (expires_ts === null) return maker.expires_ts;
  if (expires_ts <= nowMs) throw invalidField('/expires_ts', 'must be in the future, in milliseconds since 1970');
  if (lastsLonger(expires_ts, maker)) {
    throw invalidField('/expires_ts', 'must not be after the expiry of the key of this call');
  }
  return expires_ts;
}

const lastsLonger = (expires_ts: number | null, than: Pick<ApiKey, 'expires_ts'>): boolean =>
  than.expires_ts !== null && (expires_ts === null || expires_ts > than.expires_ts);

/**
 * Throws if the key can do more than the caller: a new secret gives access to all that its key can do, and disabling a key takes
 * all of it away.
 */
function refuseMoreThan(maker: Pick<ApiKey, 'expires_ts'>, caller: Caller, key: ApiKey): void {
  const beyond = scopeBeyond(caller.scopes, key.scopes);
  if (beyond !== undefined) {
    throw new AppError('INSUFFICIENT_SCOPE', `The token of this call does not cover ${beyond}, which the key does.`);
  }
  if (lastsLonger(key.expires_ts, maker)) {
    throw new AppError('INSUFFICIENT_SCOPE', 'The key lasts longer than the key of this call.');
  }
}

function refuseWrongOrigins(origins: readonly string[]): void {
  const errors = origins.flatMap((origin, index) => {
    const problem = originProblem(origin);
    return problem === null ? [] : [{ pointer: `/origins/${index}`, message: problem }];
  });
  if (errors.length > 0) throw invalidFields(errors);
}

const keyNotFound = (keyId: string): AppError => new AppError('KEY_NOT_FOUND', `API key ${keyId} was not found.`);

function toResponse(key: ApiKey, currentKeyId: string, nowMs: number) {
  return { ...fieldsOf(key, nowMs), current: key.key_id === currentKeyId };
}
