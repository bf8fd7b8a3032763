// The health of a project's data: a job checks it, and the newest report is read at once.

import { Type } from 'typebox';
import { unfinishedCheck } from '../../automation/data-checks.ts';
import {
  HEALTH_CODES,
  HEALTH_HOURS,
  HEALTH_LEVELS,
  MAX_HEALTH_EXAMPLES,
  MAX_HEALTH_TYPES,
  MAX_HOUR_TYPES,
} from '../../domain/data-health.ts';
import { newJob } from '../../domain/job.ts';
import type { Store } from '../../store/store.ts';
import { findProject } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nullable, oneOf, open, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_JOB_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { JobName, SubmittedJob } from '../schemas/jobs.ts';
import { openAs } from '../schemas/named.ts';
import { submitJob } from './submit-jobs.ts';

const tag = 'Data health';

const Finding = openAs('HealthFinding', {
  code: oneOf(HEALTH_CODES),
  level: oneOf(HEALTH_LEVELS, {
    description: '`warning`: recommendations are worse for it. `note`: rare, or good to know.',
  }),
  title: Type.String({ description: 'What was found.' }),
  count: Type.Integer({ description: 'Events, items or users, as the title says.' }),
  share: Type.Number({ description: 'Share of all events, items or users, 0 to 1.' }),
  cost: Type.String({ description: 'What it costs in quality.' }),
  fix: Type.String({ description: 'How to fix it.' }),
  examples: Type.Array(Type.String(), {
    description: `Up to ${MAX_HEALTH_EXAMPLES} ids of items, types or times; never ids of users.`,
  }),
});

const Report = openAs('HealthReport', {
  checked_ts: Type.Integer(),
  took_ms: Type.Integer(),
  events: Type.Integer(),
  users: Type.Integer({ description: 'Users with events.' }),
  items: Type.Integer({ description: 'Items with events.' }),
  item_records: Type.Integer(),
  users_with_one_event: Type.Integer(),
  first_ts: nullable(Type.Integer()),
  last_ts: nullable(Type.Integer()),
  types: Type.Array(open({ event_type: Type.String(), count: Type.Integer() }), {
    description: `Events per type, the most frequent first, up to ${MAX_HEALTH_TYPES}.`,
  }),
  hours: nullable(
    Type.Object(
      {
        from_ts: Type.Integer({ description: 'Start of the first hour (UTC).' }),
        types: Type.Array(open({ event_type: Type.String(), counts: Type.Array(Type.Integer()) })),
      },
      {
        description: `Events per hour in the ${HEALTH_HOURS} hours up to the newest event, of the ${MAX_HOUR_TYPES} most frequent types; an empty event_type is the sum of all other types.`,
      },
    ),
  ),
  findings: Type.Array(Finding, { description: 'Warnings first. Empty: nothing is wrong.' }),
});

const EXAMPLE_REPORT = {
  checked_ts: 1_762_300_000_000,
  took_ms: 412,
  events: 120_000,
  users: 9000,
  items: 800,
  item_records: 790,
  users_with_one_event: 1200,
  first_ts: 1_754_000_000_000,
  last_ts: 1_762_299_000_000,
  types: [{ event_type: 'purchase', count: 120_000 }],
  hours: { from_ts: 1_762_297_200_000, types: [{ event_type: 'purchase', counts: [120] }] },
  findings: [
    {
      code: 'UNKNOWN_ITEMS',
      level: 'warning',
      count: 10,
      share: 0.0125,
      examples: ['sku-77'],
      title: '10 items of events have no record.',
      cost: 'They are never recommended, and 2.1% of the events lead to them.',
      fix: 'Upsert the missing items.',
    },
  ],
};

type HealthParts = Pick<Store, 'accounts' | 'projects' | 'jobs' | 'health'>;

export function dataHealthRoutes(store: HealthParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/submit-data-health-job',
      tag,
      summary: 'Check the data of a project',
      description:
        'Reads events and items once and looks for what makes recommendations worse. Read the report with /get-data-health. A repeated call returns the same job while it waits or runs.',
      body: closed({ project_id: ServiceId, name: JobName }),
      response: SubmittedJob,
      errors: ['PROJECT_NOT_FOUND', 'TOO_MANY_JOBS'],
      examples: { request: { project_id: EXAMPLE_PROJECT_ID }, response: { job_id: EXAMPLE_JOB_ID } },
      async handler({ body: { project_id, name }, caller: { accountId }, runtime }) {
        await findProject(store, accountId, project_id);
        const running = await unfinishedCheck(store.jobs, accountId, project_id);
        if (running !== null) return { job_id: running };
        const given = { account_id: accountId, project_id, name };
        return submitJob(store.jobs, newJob({ ...given, job_type: 'DATA_HEALTH', job_data: {} }, runtime));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-data-health',
      tag,
      summary: 'Read the newest check of a project’s data',
      query: closed({
        project_id: Type.Optional(
          Type.Unsafe<string>({ ...ServiceId, description: "Default: the account's default project." }),
        ),
      }),
      response: open({
        project_id: Type.String(),
        report: nullable(
          Type.Unsafe<Record<string, unknown>>({ ...Report, description: 'null: the data has not been checked yet.' }),
        ),
        running_job_id: nullable(Type.String({ description: 'A check that waits or runs.' })),
      }),
      errors: ['PROJECT_NOT_FOUND'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: { project_id: EXAMPLE_PROJECT_ID, report: EXAMPLE_REPORT, running_job_id: null },
      },
      async handler({ query, caller: { accountId } }) {
        const { project_id } = await findProject(store, accountId, query.project_id);
        const running_job_id = await unfinishedCheck(store.jobs, accountId, project_id);
        const report = await store.health.get(accountId, project_id);
        return { project_id, report, running_job_id } as never;
      },
    }),
  ];
}
