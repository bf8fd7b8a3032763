// The declaration of an API call. It is the single source of routing, authentication, validation, types, documentation
// and metrics.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { Runtime } from '../base/runtime.ts';
import type { Person, Role } from '../domain/person.ts';
import type { Scopes } from '../domain/scopes.ts';
import type { ErrorCode } from '../errors.ts';
import type { BodyClass } from './body-class.ts';
import type { BulkBody } from './bulk/bulk-bodies.ts';

/**
 * `each`: one entry per call. `hourly`: one entry per hour, written before the response. `counted`: one entry per hour, written
 * soon after.
 */
export type AuditMode = 'each' | 'hourly' | 'counted' | 'none';

/** The authenticated caller, from the token and the API key, from a browser key, or from a person's session. */
export interface Caller {
  readonly accountId: string;
  /** The id of the API key, or of the person if they signed in. */
  readonly keyId: string;
  /** the scopes of the token */
  readonly scopes: Scopes;
  /** A browser key is for this project alone: its call must reach no other. */
  readonly onlyProjectId?: string;
  /** The person who signed in to the console; the call has no key then. */
  readonly person?: Person;
  readonly sessionId?: string;
}

/**
 * The caller of requests without credentials, and of all requests until they are authenticated. They share one
 * account's share of the store.
 */
export const NOBODY: Caller = Object.freeze({ accountId: '', keyId: '', scopes: [] });

/** The validated input of a handler. */
export interface Call<Body, Query, Params, Admission = unknown> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The value that `beforeBody` returned. */
  readonly admission: Admission;
  readonly runtime: Runtime;
}

declare const asJson: unique symbol;
/** A response that its handler wrote as JSON text, see `jsonText`. */
export type JsonText = (string | Buffer) & { [asJson]: true };

/** Marks text as the finished JSON response, for calls that cannot afford to serialize an object. */
export function jsonText(reply: FastifyReply, text: Promise<string | Buffer>): Promise<JsonText> {
  reply.type(JSON_TYPE);
  return text as Promise<JsonText>;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export interface RouteDeclaration<
  B extends TObject,
  Q extends TObject,
  P extends TObject,
  R extends TSchema,
  A = unknown,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` is a path parameter. */
  path: string;
  /** The scope a token needs; default: the path. `null`: the call needs no credentials. */
  scope?: string | null;
  /** Group on the documentation page. */
  tag: string;
  summary: string;
  description?: string;
  /** The JSON body. Unknown fields are rejected because every object schema here is closed. */
  body?: B;
  /** The query string; integers and booleans are read from their exact text. */
  query?: Q;
  params?: P;
  response: R;
  /** Content types of the 200 response; default: JSON only. */
  produces?: readonly string[];
  /** Error codes of this call besides those that every call can return. */
  errors?: readonly ErrorCode[];
  /** Errors that are not problem documents, as OpenAPI responses by status. */
  ownErrors?: object;
  examples: { params?: object; request?: unknown; response?: unknown };
  /** The maximum size of the body; default: small. */
  bodyClass?: Exclude<BodyClass, 'bulk'>;
  /** The body is a batch of records of class bulk. The field of its records is a Batch in the handler. */
  bulk?: BulkBody;
  /**
   * The call also accepts HTTP Basic with key and secret, for services that can send nothing else. If the route has no
   * scope, its handler checks them.
   */
  acceptsBasic?: boolean;
  /** The body may also be form-encoded (OAuth 2). */
  acceptsForm?: boolean;
  /** The body's schema is documentation only; the handler validates and returns errors in another standard's shape. */
  lenientBody?: boolean;
  errorHandler?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  /** Successful responses are logged at debug level only. */
  quiet?: boolean;
  /** The route returns a list of items, so its times are the serving times in /get-project-status. */
  isList?: boolean;
  /** How the audit log records it; default: as `auditModeOf` says, one entry per change. */
  audit?: AuditMode;
  /** The role a person needs to call it; default: as `roleNeeded` says. */
  role?: Role;
  /** Omitted from the API reference (console, sign-in). */
  hidden?: boolean;
  /** Limits the rate of calls. Runs after authentication and before the body is read; params are not validated yet. */
  beforeBody?: (call: { caller: Caller; params: Record<string, string | undefined> }) => A;
  handler(
    call: Call<Static<B>, Static<Q>, Static<P>, A>,
  ): Promise<Static<R> | JsonText | FastifyReply> | Static<R> | FastifyReply;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of routes contains declarations of every shape.
export type Route = RouteDeclaration<any, any, any, any, any>;

/** Infers the types of a declaration; a table of routes is an array of these. */
export function defineRoute<
  R extends TSchema,
  B extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  P extends TObject = TObject<Record<never, never>>,
  A = unknown,
>(declaration: RouteDeclaration<B, Q, P, R, A>): Route {
  return declaration;
}

/** The path in the form of the API reference: `/projects/{project_id}/page`. */
export function shownPath({ path }: Route): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

export function scopeOf(route: Route): string | null {
  return route.scope === undefined ? route.path : route.scope;
}
