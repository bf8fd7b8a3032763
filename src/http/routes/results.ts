// Downloads of the results of querying, clustering and recommendation jobs. The signature in the link is the credential.

import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { readResult } from '../../results/result-files.ts';
import { isSignedBy, RESULT_FORMATS, type ResultFormat, type ResultReference } from '../../results/result-link.ts';
import { BlobNotFound, type BlobStore } from '../../store/blob-store.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, oneOf } from '../schemas/common.ts';
import { EXAMPLE_JOB_ID, EXAMPLE_MODEL_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { ResultFile } from '../schemas/result-files.ts';

export interface ResultRoutesParts {
  readonly blobs: Pick<BlobStore, 'read' | 'list'>;
  /** the secret all nodes share, see linkSecret */
  readonly secret: () => Promise<string>;
}

const CONTENT_TYPES: Record<ResultFormat, string> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  svg: 'image/svg+xml; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** Formats that a browser shows. Others are saved as files. */
const SHOWN_INLINE: readonly ResultFormat[] = ['json', 'svg'];

const EXAMPLE_RESULT_ID = `${EXAMPLE_JOB_ID}-1`;
const EXAMPLE_LINK = {
  expires: 1_767_225_600,
  signature: 'pD2mXw0m5s1a8b6oT9rY3kqHf7cVnE4uZgLjWxQiRt0',
};
const EXAMPLE_RESULT = {
  job_id: EXAMPLE_JOB_ID,
  project_id: EXAMPLE_PROJECT_ID,
  model_id: EXAMPLE_MODEL_ID,
  created_ts: 1_767_139_200_000,
  total_users: 3,
  population_users: 1,
  query_type: 'user_list',
  message: '1 of 3 users meet the conditions.',
  calibration: { method: 'too few users with held-out events (2)', users: 2 },
  queries: [
    {
      query: { conditions: [{ attribute: 'genre', value: 'Drama', lower_bound: 0.3, upper_bound: null }] },
      count: 1,
      note: null,
      calibration: [null],
      users: [{ user_id: 'u1', usage: 0.412, usages: [0.412], basis: 'history' }],
    },
  ],
};

export function resultRoutes({ blobs, secret }: ResultRoutesParts): Route[] {
  // The secret never changes, so it is read once.
  let knownSecret: string | undefined;
  return [
    defineRoute({
      method: 'GET',
      path: '/results/:result_id',
      scope: null,
      tag: 'Jobs',
      summary: 'Download the result of a job',
      description:
        'The address is the `download_url` of the job result: signed, no headers needed, good for 24 hours, then 410. ' +
        'Returns JSON; `&format=csv` returns a table and `&format=svg` a chart. The link of a recommendation job has its format. A changed link returns 404.',
      params: closed({ result_id: Type.String({ minLength: 1, maxLength: 200 }) }),
      query: closed({
        expires: Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'When the link expires, in seconds since 1970.',
        }),
        signature: Type.String({ minLength: 1, maxLength: 200 }),
        format: Type.Optional(oneOf(RESULT_FORMATS)),
      }),
      response: ResultFile,
      produces: [
        'application/json',
        'text/csv',
        'image/svg+xml',
        'application/x-ndjson',
        'application/vnd.apache.parquet',
      ],
      errors: ['RESULT_NOT_FOUND', 'LINK_EXPIRED', 'STORE_UNAVAILABLE'],
      examples: { params: { result_id: EXAMPLE_RESULT_ID }, request: EXAMPLE_LINK, response: EXAMPLE_RESULT },
      async handler({ params, query, reply, runtime }) {
        const reference: ResultReference = { resultId: params.result_id, expiredAtSec: query.expires };
        knownSecret ??= await secret();
        if (!isSignedBy(knownSecret, reference, query.signature)) throw notFound();
        const leftSec = query.expires - runtime.nowMs() / 1000;
        if (leftSec <= 0) {
          throw new AppError('LINK_EXPIRED', 'The link expired after 24 hours. Submit the job again for a new result.');
        }
        const format: ResultFormat = query.format ?? 'json';
        const { stream, bytes } = await readResult(blobs, reference, format).catch((error) => {
          throw error instanceof BlobNotFound ? notFound() : error;
        });
        return reply
          .type(CONTENT_TYPES[format])
          .header('content-length', bytes)
          .header('cache-control', `private, max-age=${Math.floor(leftSec)}`)
          .header(
            'content-disposition',
            `${SHOWN_INLINE.includes(format) ? 'inline' : 'attachment'}; filename="${params.result_id.replace(/[^\w.-]/g, '_')}.${format}"`,
          )
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
          .send(stream);
      },
    }),
  ];
}

function notFound(): AppError {
  return new AppError('RESULT_NOT_FOUND', 'The result was not found. The link is not valid or was changed.');
}
