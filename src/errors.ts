// The one error class and the one table of codes. `docs/errors.md` lists the same codes; a test compares the two.
// Invariant: an AppError's `detail` is safe to show to the client; anything unexpected becomes INTERNAL_ERROR.

export const ERROR_CODES = {
  INVALID_REQUEST: { status: 400, title: 'The request is not valid' },
  INVALID_JSON: { status: 400, title: 'The body is not valid JSON' },
  INVALID_ENCODING: { status: 400, title: 'The body cannot be decompressed' },
  UNKNOWN_FIELD: { status: 400, title: 'The request has an unknown field' },
  BATCH_TOO_LARGE: { status: 400, title: 'Too many records in one call' },
  INVALID_FILTER: { status: 400, title: 'The filter_query is not valid' },
  FILTER_TOO_COSTLY: { status: 400, title: 'The filter takes too long for this catalog' },
  INVALID_ALGORITHM_PARAMETER: { status: 400, title: 'An algorithm parameter is unknown or out of range' },
  INVALID_PAGE_TOKEN: { status: 400, title: 'The page_token is not valid' },
  UNAUTHENTICATED: { status: 401, title: 'Credentials are missing or invalid' },
  TOKEN_EXPIRED: { status: 401, title: 'The access token has expired' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'The token does not cover this operation' },
  API_KEY_MISMATCH: { status: 403, title: 'The API key and the token belong to different accounts' },
  ORIGIN_NOT_ALLOWED: { status: 403, title: 'The browser key is not for pages of this origin' },
  PLAN_LIMIT_EXCEEDED: { status: 403, title: "The account's plan does not allow this" },
  DESTINATION_NOT_ALLOWED: { status: 403, title: 'The destination is not allowed' },
  SOURCE_NOT_ALLOWED: { status: 403, title: 'The source is not allowed' },
  ROUTE_NOT_FOUND: { status: 404, title: 'The path does not exist' },
  DATASET_NOT_FOUND: { status: 404, title: 'The dataset was not found' },
  RECORD_NOT_FOUND: { status: 404, title: 'The record was not found' },
  PROJECT_NOT_FOUND: { status: 404, title: 'The project was not found' },
  ALGORITHM_NOT_FOUND: { status: 404, title: 'The algorithm was not found' },
  MODEL_NOT_FOUND: { status: 404, title: 'The model was not found' },
  JOB_NOT_FOUND: { status: 404, title: 'The job was not found' },
  WEBHOOK_NOT_FOUND: { status: 404, title: 'The webhook was not found' },
  PLACEMENT_NOT_FOUND: { status: 404, title: 'The placement was not found' },
  EXPERIMENT_NOT_FOUND: { status: 404, title: 'The experiment was not found' },
  SESSION_NOT_FOUND: { status: 404, title: 'The session was not found' },
  KEY_NOT_FOUND: { status: 404, title: 'The API key was not found' },
  RESULT_NOT_FOUND: { status: 404, title: 'The result was not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not support this method' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  DATASET_IN_USE: { status: 409, title: 'A project uses this dataset' },
  PROJECT_IN_USE: { status: 409, title: 'The project is deployed or has work in progress' },
  MODEL_DEPLOYED: { status: 409, title: 'The model is deployed' },
  NO_MODEL_DEPLOYED: { status: 409, title: 'The project has no deployed model' },
  NO_EARLIER_DEPLOYMENT: { status: 409, title: 'There is no earlier model to roll back to' },
  PLACEMENT_EXISTS: { status: 409, title: 'The project has a placement with this name' },
  PLACEMENT_CHANGED: { status: 409, title: 'The placement was changed in the meantime' },
  VARIANT_PROMOTED: { status: 409, title: 'Another variant of the experiment was promoted' },
  EXPERIMENT_RUNNING: { status: 409, title: 'An experiment runs on this placement' },
  TOO_MANY_PLACEMENTS: { status: 409, title: 'The project has too many placements' },
  JOB_FINISHED: { status: 409, title: 'The job has already ended' },
  LAST_KEY: { status: 409, title: 'This is the last active key' },
  LINK_EXPIRED: { status: 410, title: 'The link has expired' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  ANSWER_TOO_LARGE: { status: 413, title: 'The response would be too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body must be JSON' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  TOO_MANY_JOBS: { status: 429, title: 'Too many jobs of the account are waiting' },
  INTERNAL_ERROR: { status: 500, title: 'Internal error' },
  OVERLOADED: { status: 503, title: 'The service is busy' },
  STARTING: { status: 503, title: 'The service is starting' },
  SHUTTING_DOWN: { status: 503, title: 'The service is shutting down' },
  STORE_UNAVAILABLE: { status: 503, title: 'Cannot reach the database or write to it' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One invalid field of a request: a JSON pointer and a message. */
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
  /** Additional members of the problem document, e.g. a list of candidates. */
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

/** `pointer` is the location of the field in the request, `message` says what is wrong with it. */
export function invalidField(pointer: string, message: string): AppError {
  return invalidFields([{ pointer, message }]);
}

/** The detail is about the first of them, or about the whole request if its pointer is empty. */
export function invalidFields(errors: FieldError[]): AppError {
  const [{ pointer, message }] = errors;
  return new AppError('INVALID_REQUEST', `${pointer.slice(1) || 'The request'} ${message}.`, { errors });
}

/** Whether the database or the storage of files could not be reached: what failed may succeed when it is tried again. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'STORE_UNAVAILABLE';
}
