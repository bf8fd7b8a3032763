// The one error class and the one table of codes. `docs/errors.md` lists the same codes; a test compares the two.
// Invariant: an AppError's `detail` is safe to show to the client; anything unexpected is answered as INTERNAL_ERROR.

export const ERROR_CODES = {
  INVALID_REQUEST: { status: 400, title: 'The request is not valid' },
  INVALID_JSON: { status: 400, title: 'The body is not valid JSON' },
  INVALID_ENCODING: { status: 400, title: 'The compressed body cannot be read' },
  UNKNOWN_FIELD: { status: 400, title: 'The request has an unknown field' },
  BATCH_TOO_LARGE: { status: 400, title: 'Too many records in one call' },
  INVALID_FILTER: { status: 400, title: 'The filter_query cannot be read' },
  FILTER_TOO_COSTLY: { status: 400, title: 'The filter takes too long over this catalog' },
  INVALID_ALGORITHM_PARAMETER: { status: 400, title: 'An algorithm parameter is unknown or out of range' },
  INVALID_PAGE_TOKEN: { status: 400, title: 'The page_token is not one of ours' },
  UNAUTHENTICATED: { status: 401, title: 'Credentials are missing or wrong' },
  TOKEN_EXPIRED: { status: 401, title: 'The access token has expired' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'The token does not cover this operation' },
  API_KEY_MISMATCH: { status: 403, title: 'The API key belongs to another account than the token' },
  PLAN_LIMIT_EXCEEDED: { status: 403, title: "The account's plan does not allow this" },
  ROUTE_NOT_FOUND: { status: 404, title: 'There is no such path' },
  DATASET_NOT_FOUND: { status: 404, title: 'There is no such dataset' },
  RECORD_NOT_FOUND: { status: 404, title: 'There is no such record' },
  PROJECT_NOT_FOUND: { status: 404, title: 'There is no such project' },
  ALGORITHM_NOT_FOUND: { status: 404, title: 'There is no such algorithm' },
  MODEL_NOT_FOUND: { status: 404, title: 'There is no such model' },
  JOB_NOT_FOUND: { status: 404, title: 'There is no such job' },
  KEY_NOT_FOUND: { status: 404, title: 'There is no such API key' },
  RESULT_NOT_FOUND: { status: 404, title: 'There is no such result' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'This path does not answer that method' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request came too slowly' },
  DATASET_IN_USE: { status: 409, title: 'A project uses this dataset' },
  PROJECT_IN_USE: { status: 409, title: 'The project is deployed or has work in progress' },
  MODEL_DEPLOYED: { status: 409, title: 'The model is deployed' },
  NO_MODEL_DEPLOYED: { status: 409, title: 'The project has no model deployed' },
  JOB_FINISHED: { status: 409, title: 'The job has already ended' },
  LAST_KEY: { status: 409, title: 'This is the last key that works' },
  LINK_EXPIRED: { status: 410, title: 'The link has expired' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  ANSWER_TOO_LARGE: { status: 413, title: 'The answer would be too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body must be JSON' },
  RATE_LIMITED: { status: 429, title: 'Too many calls' },
  TOO_MANY_JOBS: { status: 429, title: 'Too many jobs of the account are waiting' },
  INTERNAL_ERROR: { status: 500, title: 'Something unexpected happened' },
  OVERLOADED: { status: 503, title: 'The service is busy' },
  STARTING: { status: 503, title: 'The service is starting' },
  SHUTTING_DOWN: { status: 503, title: 'The service is shutting down' },
  STORE_UNAVAILABLE: { status: 503, title: 'The store cannot be reached or cannot write' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One wrong place in a request: a JSON pointer and what is wrong there. */
export interface FieldError {
  pointer: string;
  message: string;
}

export interface AppErrorOptions {
  errors?: FieldError[];
  retryAfterSec?: number;
  cause?: unknown;
  /** The WWW-Authenticate header of a 401. */
  challenge?: string;
  /** Further members of the problem document, e.g. the list of candidates. */
  extra?: Record<string, unknown>;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors?: FieldError[];
  readonly retryAfterSec?: number;
  readonly challenge?: string;
  readonly extra?: Record<string, unknown>;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.errors = options.errors;
    this.retryAfterSec = options.retryAfterSec;
    this.challenge = options.challenge;
    this.extra = options.extra;
  }
}
