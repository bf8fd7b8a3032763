// The caller's account: plan, usage and API keys.
import { Type } from 'typebox';
import { type ApiKey, KEY_LIMITS } from '../../domain/account.ts';
import { newCredentials } from '../../domain/credentials.ts';
import { projectNotFound } from '../../domain/not-found.ts';
import { EVERY_SCOPE, normalScopes, type Scopes, scopeBeyond } from '../../domain/scopes.ts';
import { AppError } from '../../errors.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, Name, nullable, open, ServiceId, TimeMs } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from './projects.ts';

export interface AccountParts {
  accounts: AccountStore;
  /** Makes a disabled key ineffective on this node immediately; others follow within seconds. */
  keysChanged(): Promise<void>;
  /** Every operation's scope. */
  knownScopes(): ReadonlySet<string>;
  /** Resolves when every API node has followed the epoch. */
  followedEverywhere(epoch: number): Promise<void>;
}

const keyFields = {
  key_id: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'First characters of the key.' }),
  scopes: Type.Array(Type.String(), { description: 'Operation paths its tokens may cover, or `*`.' }),
  disabled: Type.Boolean(),
  created_ts: TimeMs,
};
const KeyAnswer = open({ ...keyFields, current: Type.Boolean({ description: 'The key of this call.' }) });

const AccountAnswer = open({
  account_id: Type.String(),
  name: Type.String(),
  plan: open({
    max_event_shards: Type.Integer(),
    max_training_hours: Type.Number(),
    max_qps: Type.Number(),
    max_storage_bytes: Type.Integer(),
  }),
  usage: open({
    event_shards: Type.Integer(),
    training_hours: Type.Number(),
    storage_bytes: Type.Integer({
      description: 'Bytes of users, items and events, including the overhead of their rows.',
    }),
  }),
  default_project_id: nullable(
    Type.String({
      description: 'Used by recommendation calls without a project_id; null before the first deployment.',
    }),
  ),
});

const EXAMPLE_ACCOUNT = {
  account_id: 'acc_01k9zq3a1b3c5d7e9f1g3h5j7k',
  name: 'default',
  plan: { max_event_shards: 1000, max_training_hours: 1000, max_qps: 10_000, max_storage_bytes: 107_374_182_400 },
  usage: { event_shards: 10, training_hours: 0.42, storage_bytes: 52_428_800 },
  default_project_id: EXAMPLE_PROJECT_ID,
};

const EXAMPLE_KEY = {
  key_id: 'key_01k9zq7f5h7k9m1p3r5t7w9y1a',
  name: 'ci',
  hint: 'kk_8dQw2',
  scopes: ['/recommend-items-to-user'],
  disabled: false,
  created_ts: 1_762_000_000_000,
};

const MAX_SCOPES = 200;

const TOO_MANY_KEYS = {
  usable: `An account can have ${KEY_LIMITS.usable} active keys. Disable one you do not need (/disable-api-key).`,
  total:
    `An account can create ${KEY_LIMITS.total} keys, including disabled ones. ` +
    'The operator of the service can create more: kindred account keys NAME --create.',
};

export function accountRoutes({ accounts, keysChanged, knownScopes, followedEverywhere }: AccountParts): Route[] {
  const present = async (accountId: string) => {
    const [account, usage] = await Promise.all([accounts.get(accountId), accounts.usage(accountId)]);
    if (!account) throw new AppError('UNAUTHENTICATED', 'The account no longer exists.');
    const { account_id, name, plan, default_project_id } = account;
    return { account_id, name, plan, usage, default_project_id };
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/get-account',
      tag: 'Account',
      summary: 'Read plan and usage',
      response: AccountAnswer,
      examples: { response: EXAMPLE_ACCOUNT },
      handler: ({ caller }) => present(caller.accountId),
    }),
    defineRoute({
      method: 'PUT',
      path: '/update-account',
      tag: 'Account',
      summary: 'Choose the default project',
      description:
        'Recommendation calls without a `project_id` use the default project. Returns when every API node uses it.',
      body: closed({ default_project_id: Type.Optional(ServiceId) }),
      response: AccountAnswer,
      errors: ['PROJECT_NOT_FOUND'],
      examples: { request: { default_project_id: EXAMPLE_PROJECT_ID }, response: EXAMPLE_ACCOUNT },
      async handler({ body: { default_project_id }, caller }) {
        if (default_project_id !== undefined) {
          const epoch = await accounts.chooseDefaultProject(caller.accountId, default_project_id);
          if (epoch === null) throw projectNotFound(default_project_id);
          await followedEverywhere(epoch);
        }
        return present(caller.accountId);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-api-keys',
      tag: 'Account',
      summary: "List the account's API keys",
      response: open({ api_keys: Type.Array(KeyAnswer) }),
      examples: { response: { api_keys: [{ ...EXAMPLE_KEY, current: true }] } },
      async handler({ caller }) {
        const keys = await accounts.listKeys(caller.accountId);
        return { api_keys: keys.map((key) => toAnswer(key, caller.keyId)) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/create-api-key',
      tag: 'Account',
      summary: 'Create an API key',
      description: `The key and secret are in this response only. \`scopes\` limits what the key may call. It cannot exceed the scope of this call's token, which is also the default. An account can have ${KEY_LIMITS.usable} active keys.`,
      body: closed({
        name: Name,
        scopes: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
            minItems: 1,
            maxItems: MAX_SCOPES,
            description: 'Operation paths, or `*`. Default: what the token of this call covers.',
          }),
        ),
      }),
      response: open({ ...keyFields, api_key: Type.String(), client_secret: Type.String() }),
      errors: ['PLAN_LIMIT_EXCEEDED', 'INSUFFICIENT_SCOPE'],
      examples: {
        request: { name: 'ci', scopes: EXAMPLE_KEY.scopes },
        response: { ...EXAMPLE_KEY, api_key: 'kk_8dQw2…', client_secret: 'ks_Q7x…' },
      },
      async handler({ body, caller, reply }) {
        const scopes = body.scopes ? readScopes(body.scopes, caller.scopes, knownScopes()) : caller.scopes;
        const { credentials, key } = newCredentials(caller.accountId, body.name, scopes);
        const outcome = await accounts.addKey(key, KEY_LIMITS);
        if (outcome !== 'added') throw new AppError('PLAN_LIMIT_EXCEEDED', TOO_MANY_KEYS[outcome]);
        reply.header('cache-control', 'no-store');
        return { ...fieldsOf(key), ...credentials };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/disable-api-key',
      tag: 'Account',
      summary: 'Disable an API key',
      description: 'Takes effect within 10 seconds on all nodes, including for tokens issued with the key.',
      body: closed({ key_id: ServiceId }),
      response: KeyAnswer,
      errors: ['KEY_NOT_FOUND', 'LAST_KEY'],
      examples: {
        request: { key_id: EXAMPLE_KEY.key_id },
        response: { ...EXAMPLE_KEY, disabled: true, current: false },
      },
      async handler({ body, caller }) {
        const key = await accounts.setKeyDisabled(caller.accountId, body.key_id, true);
        if (key === null) throw new AppError('KEY_NOT_FOUND', `API key ${body.key_id} was not found.`);
        if (key === 'last-key') {
          throw new AppError('LAST_KEY', 'This is the last active key of the account. Create another one first.');
        }
        await keysChanged();
        return toAnswer(key, caller.keyId);
      },
    }),
  ];
}

function readScopes(asked: Scopes, ofCaller: Scopes, known: ReadonlySet<string>): Scopes {
  const unknown = asked.findIndex((scope) => scope !== EVERY_SCOPE && !known.has(scope));
  if (unknown >= 0) {
    const message = "It is not an operation's path. Use paths such as /recommend-items-to-user, or *.";
    throw new AppError('INVALID_REQUEST', 'scopes names an unknown operation.', {
      errors: [{ pointer: `/scopes/${unknown}`, message }],
    });
  }
  const scopes = normalScopes(asked);
  const beyond = scopeBeyond(ofCaller, scopes);
  if (beyond === undefined) return scopes;
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    `The token of this call does not cover ${beyond}, so the new key cannot either.`,
  );
}

function fieldsOf({ key_id, name, hint, scopes, disabled, created_ts }: ApiKey) {
  return { key_id, name, hint, scopes: [...scopes], disabled, created_ts };
}

function toAnswer(key: ApiKey, currentKeyId: string) {
  return { ...fieldsOf(key), current: key.key_id === currentKeyId };
}
