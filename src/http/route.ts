// How a call of the API is declared. One declaration is the source of routing, authentication, validation, types,
// documentation and metrics.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { Scopes } from '../domain/scopes.ts';
import type { ErrorCode } from '../errors.ts';
import { BODY_CLASSES, type BodyClass, type BodyRules } from './body-class.ts';
import type { BulkBody } from './bulk/bulk-bodies.ts';

/** Who calls: proven by the token and the API key. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** what the token covers */
  readonly scopes: Scopes;
}

/** What a handler gets: everything in it has been validated. */
export interface Call<Body, Query, Params, Admission = unknown> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** What `beforeBody` returned. */
  readonly admission: Admission;
}

declare const asJson: unique symbol;
/** An answer that its handler wrote as JSON, see `jsonText`. */
export type JsonText = (string | Buffer) & { [asJson]: true };

/** Marks the text as what is answered, as it is: for calls that cannot afford to have it made from an object. */
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
  /** `:name` stands for a path parameter. */
  path: string;
  /** The scope a token needs; default: the path. `null`: the call needs no credentials. */
  scope?: string | null;
  /** Group on the documentation page. */
  tag: string;
  summary: string;
  description?: string;
  /** The JSON body. Unknown fields are refused because every object schema here is closed. */
  body?: B;
  /** The query string; integers and booleans are read from their exact text. */
  query?: Q;
  params?: P;
  response: R;
  /** Contents the 200 answer can have; default: JSON alone. */
  produces?: readonly string[];
  /** Codes this call can answer besides those every call can. */
  errors?: readonly ErrorCode[];
  /** Answers in another shape than our problem documents, as OpenAPI responses by status. */
  ownErrors?: object;
  examples: { params?: object; request?: unknown; response?: unknown };
  /** How large the body may be; default: small. */
  bodyClass?: Exclude<BodyClass, 'bulk'>;
  /** The body is a batch of records: of class bulk, and its records' field is a Batch. */
  bulk?: BulkBody;
  /** The body may also be form-encoded (OAuth 2). */
  acceptsForm?: boolean;
  /** The body's schema only documents; the handler checks, and answers errors in another standard's shape. */
  lenientBody?: boolean;
  errorHandler?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;
  /** Successful answers are logged at debug only. */
  quiet?: boolean;
  /** Not part of the API description (console, sign-in). */
  hidden?: boolean;
  /** Limits the rate of calls: runs when the caller is known, before the body is read. Params are not validated yet. */
  beforeBody?: (call: { caller: Caller; params: Record<string, string | undefined> }) => A;
  handler(
    call: Call<Static<B>, Static<Q>, Static<P>, A>,
  ): Promise<Static<R> | JsonText | FastifyReply> | Static<R> | FastifyReply;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of routes holds declarations of every shape.
export type Route = RouteDeclaration<any, any, any, any, any>;

/** Gives the declaration its types; a table of routes is an array of what this returns. */
export function defineRoute<
  R extends TSchema,
  B extends TObject = TObject<Record<never, never>>,
  Q extends TObject = TObject<Record<never, never>>,
  P extends TObject = TObject<Record<never, never>>,
  A = unknown,
>(declaration: RouteDeclaration<B, Q, P, R, A>): Route {
  return declaration;
}

export function scopeOf(route: Route): string | null {
  return route.scope === undefined ? route.path : route.scope;
}

export function rulesOf({ bodyClass = 'small', acceptsForm = false, bulk }: Route): BodyRules {
  return { ...BODY_CLASSES[bulk ? 'bulk' : bodyClass], acceptsForm, bulk: bulk ?? null };
}
