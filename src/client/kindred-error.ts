// The error of a failed call. The service returns problems as RFC 9457 documents, its token call as RFC 6749 errors; both
// become a KindredError, so that a caller reads one `code` in every case. Codes of the service: docs/errors.md.
// Codes made here: CONNECTION_FAILED and TIMEOUT without a response, UNEXPECTED_ANSWER for a response not made by Kindred.

export interface FieldProblem {
  /** JSON pointer into the request, e.g. `/events/3/ts`. */
  pointer: string;
  message: string;
}

export interface KindredErrorFacts {
  code: string;
  status: number;
  errors?: FieldProblem[];
  requestId?: string;
  retryAfterSec?: number;
  /** The whole problem document, with any further members (e.g. the position of INVALID_FILTER). */
  problem?: Record<string, unknown>;
  operation?: string;
  cause?: unknown;
}

export class KindredError extends Error {
  readonly code: string;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly errors: FieldProblem[];
  readonly requestId: string | undefined;
  readonly retryAfterSec: number | undefined;
  readonly problem: Record<string, unknown> | undefined;
  /** Path of the operation that failed, e.g. `/get-job`. */
  readonly operation: string | undefined;

  constructor(message: string, facts: KindredErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'KindredError';
    this.code = facts.code;
    this.status = facts.status;
    this.errors = facts.errors ?? [];
    this.requestId = facts.requestId;
    this.retryAfterSec = facts.retryAfterSec;
    this.problem = facts.problem;
    this.operation = facts.operation;
  }
}

/** Reads the body of a failed response, whatever it contains. */
export async function errorFromResponse(response: Response, operation: string): Promise<KindredError> {
  const text = await response.text().catch(() => '');
  const problem = parseObject(text);
  const facts = {
    status: response.status,
    requestId: textOf(problem?.request_id) ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterSec: retryAfterSec(response.headers.get('retry-after')),
    problem,
    operation,
  };
  if (problem && typeof problem.code === 'string') {
    const errors = Array.isArray(problem.errors) ? (problem.errors as FieldProblem[]) : [];
    const detail = textOf(problem.detail) ?? textOf(problem.title) ?? problem.code;
    return new KindredError(withFirstPointer(detail, errors), { ...facts, code: problem.code, errors });
  }
  if (problem && typeof problem.error === 'string') {
    const detail = textOf(problem.error_description) ?? problem.error;
    return new KindredError(detail, { ...facts, code: problem.error.toUpperCase() });
  }
  return new KindredError(`${operation} returned status ${response.status}`, {
    ...facts,
    code: 'UNEXPECTED_ANSWER',
  });
}

/** Retry-After in seconds; the header may also hold a date. */
export function retryAfterSec(header: string | null, nowMs: number = Date.now()): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, (dateMs - nowMs) / 1000);
}

function withFirstPointer(detail: string, errors: FieldProblem[]): string {
  const first = errors[0];
  if (!first || detail.includes(first.message)) return detail;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${detail.replace(/\.$/, '')}: ${first.pointer || '/'} ${first.message}${more}`;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
