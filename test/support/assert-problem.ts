// Asserts that a response is a problem document with one of the expected codes.
import assert from 'node:assert/strict';
import type { CallResponse } from './service.ts';

/** With one code, which says what was refused. */
export const refusedWith = (response: CallResponse, status: number, code: string): void =>
  assertProblem(response, { status, codes: [code] }, code);

export function assertProblem(
  { status, headers, body }: CallResponse,
  expected: { status: number; codes: string[] },
  what: string,
): void {
  assert.equal(status, expected.status, `${what} returned ${status} ${JSON.stringify(body)}`);
  assert.ok(expected.codes.includes(body.code), `${what} returned ${body.code}`);
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, what);
  for (const field of ['type', 'title', 'detail', 'instance', 'request_id'])
    assert.equal(typeof body[field], 'string', what);
  assert.equal(body.status, status);
}
