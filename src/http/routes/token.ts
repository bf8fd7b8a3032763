// POST /oauth2/token: OAuth 2 client credentials (RFC 6749). Its errors have that standard's shape, not ours.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { hasExpired } from '../../domain/account.ts';
import { hashSecret, matchingSecret } from '../../domain/credentials.ts';
import { EVERY_SCOPE, normalScopes, type Scopes, scopeBeyond } from '../../domain/scopes.ts';
import type { AppError } from '../../errors.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import type { AccessTokens } from '../auth/access-tokens.ts';
import { type BasicCredentials, readBasicHeader } from '../auth/basic-header.ts';
import { FailedAttempts } from '../auth/failed-attempts.ts';
import { sendError, toAppError } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';
import { open } from '../schemas/common.ts';
import { openAs } from '../schemas/named.ts';

const OAuthProblem = openAs('OAuthProblem', { error: Type.String(), error_description: Type.String() });

const oauthResponse = (description: string, error: string) => ({
  description,
  content: {
    'application/json': {
      schema: OAuthProblem,
      example: { error, error_description: 'What happened and what to do.' },
    },
  },
});
const OAUTH_ERRORS = {
  400: oauthResponse('invalid_request, unsupported_grant_type or invalid_scope', 'invalid_scope'),
  401: oauthResponse('invalid_client', 'invalid_client'),
  413: oauthResponse('The body is too large', 'invalid_request'),
  415: oauthResponse('The body is neither a form nor JSON', 'invalid_request'),
  429: oauthResponse('Too many failed attempts', 'invalid_client'),
};

const NO_KEY = { secret_hash: hashSecret(''), secret_version: 1, previous_secret_hash: null, previous_until_ts: null };

type OAuthErrorCode = 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';

class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly retryAfterSec: number | undefined;

  constructor(code: OAuthErrorCode, description: string, status = 400, retryAfterSec?: number) {
    super(description);
    this.name = 'OAuthError';
    this.code = code;
    this.status = status;
    this.retryAfterSec = retryAfterSec;
  }
}

const TokenBody = open({
  grant_type: Type.Literal('client_credentials'),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
  scope: Type.Optional(
    Type.String({
      description:
        'Default: `*`. An empty text is refused, unlike in RFC 6749, so that a variable that is not set does not give a token for everything.',
    }),
  ),
});

export interface TokenParts {
  accounts: AccountStore;
  tokens: AccessTokens;
  /** The scope of every operation, by its path and by the scope itself. */
  knownScopes(): ReadonlyMap<string, string>;
}

interface TokenCall {
  address: string;
  nowMs: number;
}

export function tokenRoutes({ accounts, tokens, knownScopes }: TokenParts): Route[] {
  const failedAttempts = new FailedAttempts();

  async function findClient(clientId: string, clientSecret: string, { address, nowMs }: TokenCall) {
    const keyHash = hashSecret(clientId);
    const key = await accounts.findKey(keyHash);
    // Compared even if the key does not exist, so that both responses take the same time.
    const secret = matchingSecret(key ?? NO_KEY, clientSecret, nowMs);
    if (!key || !secret || key.disabled || key.account_disabled || hasExpired(key, nowMs)) {
      const waitSec = failedAttempts.failed(`${address} ${keyHash}`, nowMs);
      if (waitSec > 0) {
        throw new OAuthError('invalid_client', `Too many failed attempts. Try again in ${waitSec} s.`, 429, waitSec);
      }
      throw new OAuthError('invalid_client', 'The client_id or client_secret is wrong, expired or disabled.', 401);
    }
    return { key, secret };
  }

  return [
    defineRoute({
      method: 'POST',
      path: '/oauth2/token',
      scope: null,
      tag: 'Authentication',
      summary: 'Get an access token',
      description:
        'OAuth 2 client credentials. `client_id` is the API key; both may be sent as HTTP Basic instead. `scope` is one or more operation paths separated by spaces, or `*` for everything the key covers. The path of a call below a project (`/projects/{project_id}/page`) stands for that of the same call at the base address (`/compose-page`). Form-encoded or JSON. Errors have the shape of RFC 6749.',
      acceptsForm: true,
      bodyClass: 'anonymous',
      lenientBody: true,
      acceptsBasic: true,
      errorHandler: sendOAuthError,
      ownErrors: OAUTH_ERRORS,
      body: TokenBody,
      response: open({
        access_token: Type.String(),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer(),
        scope: Type.String(),
      }),
      examples: {
        request: {
          grant_type: 'client_credentials',
          client_id: 'kk_2b9…',
          client_secret: 'ks_Q7x…',
          scope: '/recommend-items-to-user',
        },
        response: {
          access_token: 'eyJhbGciOi…',
          token_type: 'Bearer',
          expires_in: 3600,
          scope: '/recommend-items-to-user',
        },
      },
      async handler({ body, request, reply, runtime }) {
        const fields = readFields(body);
        const basic = readBasic(request.headers.authorization);
        // RFC 6749 3.2: a parameter without a value counts as left out.
        if (!fields.grant_type) throw new OAuthError('invalid_request', 'grant_type is missing.');
        if (fields.grant_type !== 'client_credentials') {
          throw new OAuthError('unsupported_grant_type', 'The only grant_type is client_credentials.');
        }
        if (basic && (fields.client_secret !== undefined || (fields.client_id ?? basic.id) !== basic.id)) {
          throw new OAuthError('invalid_request', 'Send the client as HTTP Basic or in the body, not both.');
        }
        const clientId = basic?.id ?? fields.client_id;
        const clientSecret = basic?.secret ?? fields.client_secret;
        if (clientId === undefined || clientSecret === undefined) {
          throw new OAuthError('invalid_client', 'client_id or client_secret is missing.', 401);
        }
        const wanted = readScopes(fields.scope, knownScopes());
        const { key, secret } = await findClient(clientId, clientSecret, {
          address: request.ip,
          nowMs: runtime.nowMs(),
        });
        const scope = grantedScopes(key.scopes, wanted).join(' ');
        const { account_id: accountId, key_id: keyId, key_hash: keyHash, expires_ts } = key;
        const { token, lifeSec } = await tokens.sign(
          { accountId, keyId, keyHash, scope, secretVersion: secret.version },
          Math.min(expires_ts ?? Number.POSITIVE_INFINITY, secret.untilMs),
        );
        reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
        return {
          access_token: token,
          token_type: 'Bearer' as const,
          expires_in: lifeSec,
          scope,
        };
      },
    }),
  ];
}

/** RFC 6749 3.2: parameters that are not known are ignored. */
function readFields(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new OAuthError(
      'invalid_request',
      'Send grant_type, client_id, client_secret and scope as a form or as JSON.',
    );
  }
  const given = Object.entries(body).filter(
    ([name, value]) => Object.hasOwn(TokenBody.properties, name) && value !== null && value !== undefined,
  );
  const wrong = given.find(([, value]) => typeof value !== 'string');
  if (wrong) throw new OAuthError('invalid_request', `${wrong[0]} must be a string.`);
  return Object.fromEntries(given);
}

function readBasic(authorization: string | undefined): BasicCredentials | null {
  const basic = readBasicHeader(authorization);
  if (basic !== 'malformed') return basic;
  throw new OAuthError(
    'invalid_client',
    'The Basic header must contain client_id:client_secret, both form-encoded.',
    401,
  );
}

function readScopes(text: string | undefined, known: ReadonlyMap<string, string>): Scopes {
  const given = (text ?? EVERY_SCOPE).split(' ').filter(Boolean);
  if (given.length === 0) throw new OAuthError('invalid_scope', 'scope is empty: name operation paths, or "*".');
  const scopes = normalScopes(given.map((scope) => known.get(scope) ?? scope));
  if (scopes.includes(EVERY_SCOPE)) return scopes;
  const unknown = scopes.find((scope) => !known.has(scope));
  if (unknown !== undefined) {
    const shown = unknown.replace(/[^\x21-\x7e]/g, '?').slice(0, 64);
    throw new OAuthError(
      'invalid_scope',
      `${shown} is not an operation's path. Use paths such as /recommend-items-to-user, or "*".`,
    );
  }
  return scopes;
}

/** `*` requests everything the key may call. Scopes requested by name must all be granted. */
function grantedScopes(ofKey: Scopes, wanted: Scopes): Scopes {
  if (wanted.includes(EVERY_SCOPE)) return ofKey;
  const beyond = scopeBeyond(ofKey, wanted);
  if (beyond === undefined) return wanted;
  throw new OAuthError('invalid_scope', `This key does not cover ${beyond}. Ask for "*" to get all that it covers.`);
}

function sendOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = error instanceof OAuthError ? error : ofUnreadBody(toAppError(error));
  if (known === null) return sendError(error, request, reply);
  if (known.status === 401) reply.header('www-authenticate', 'Basic realm="kindred"');
  if (known.retryAfterSec !== undefined) reply.header('retry-after', known.retryAfterSec);
  return reply
    .code(known.status)
    .header('cache-control', 'no-store')
    .send({ error: known.code, error_description: known.message });
}

function ofUnreadBody({ status, message }: AppError): OAuthError | null {
  if (status === 400 || status === 413) return new OAuthError('invalid_request', message, status);
  if (status !== 415) return null;
  return new OAuthError(
    'invalid_request',
    'Send a form (Content-Type: application/x-www-form-urlencoded) or JSON (application/json), plain or as gzip, br or zstd.',
    status,
  );
}
