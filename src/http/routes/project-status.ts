// The status of a project for monitoring. Every figure is a lookup: nothing is scanned.

import { Type } from 'typebox';
import type { DatasetKind } from '../../domain/dataset.ts';
import type { Project } from '../../domain/project.ts';
import type { ServingTimes } from '../../observability/serving-times.ts';
import type { Store } from '../../store/store.ts';
import { findProject } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nullable, open, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_MODEL_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { openAs } from '../schemas/named.ts';

type StatusStores = Pick<
  Store,
  'accounts' | 'projects' | 'datasets' | 'events' | 'models' | 'deployments' | 'health' | 'jobs' | 'streams'
>;

const NEWEST = { page_size: 1, page_token: null };

const fields = <T extends Parameters<typeof open>[0]>(properties: T, description: string) =>
  Type.Object(properties, { description });

const StatusResponse = openAs('ProjectStatus', {
  project_id: Type.String(),
  data: fields(
    {
      users: Type.Integer({ description: 'Records of users.' }),
      items: Type.Integer({ description: 'Records of items.' }),
      events: Type.Integer(),
      newest_event_ts: nullable(Type.Integer({ description: 'The latest time of an event.' })),
    },
    'What is stored.',
  ),
  model: nullable(
    fields(
      {
        model_id: Type.String(),
        name: Type.String(),
        created_ts: Type.Integer(),
        events: nullable(Type.Integer({ description: 'Events it was trained on; null: it does not say.' })),
        new_events: nullable(Type.Integer({ description: 'Events stored since; deleted ones count against them.' })),
      },
      'What serves; null: nothing is deployed.',
    ),
  ),
  serving: fields(
    {
      minutes: Type.Integer({ description: 'The figures are of this many minutes.' }),
      calls: Type.Integer(),
      p50_ms: nullable(Type.Number()),
      p99_ms: nullable(Type.Number()),
    },
    'Calls for lists of the whole account at the node that responds, and the time they took there.',
  ),
  health: nullable(
    fields(
      { checked_ts: Type.Integer(), warnings: Type.Integer(), notes: Type.Integer() },
      'The newest check of the data (/get-data-health); null: there was none.',
    ),
  ),
  streams: Type.Array(
    open({
      stream: Type.String({ description: 'Consumer group and topic.' }),
      messages: Type.Integer(),
      skipped: Type.Integer({ description: 'Messages that could not be stored.' }),
      lost: Type.Integer({ description: 'Messages that Kafka deleted before they were read.' }),
    }),
    { description: 'Topics that the role kafka reads into the datasets of the project.' },
  ),
  failed_job: nullable(
    fields(
      { job_id: Type.String(), job_type: Type.String(), name: Type.String(), message: Type.String() },
      'The newest job that ended, if it failed.',
    ),
  ),
});

export function projectStatusRoutes(store: StatusStores, times: ServingTimes): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/get-project-status',
      tag: 'Projects',
      summary: 'See how fresh data and model are, and how fast lists are returned',
      query: closed({
        project_id: Type.Optional(
          Type.Unsafe<string>({ ...ServiceId, description: "Default: the account's default project." }),
        ),
      }),
      response: StatusResponse,
      errors: ['PROJECT_NOT_FOUND'],
      quiet: true,
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: {
          project_id: EXAMPLE_PROJECT_ID,
          data: { users: 9000, items: 800, events: 120_000, newest_event_ts: 1_762_299_000_000 },
          model: {
            model_id: EXAMPLE_MODEL_ID,
            name: 'nightly',
            created_ts: 1_762_200_000_000,
            events: 118_000,
            new_events: 2000,
          },
          serving: { minutes: 8, calls: 5120, p50_ms: 1.1, p99_ms: 4.2 },
          health: { checked_ts: 1_762_200_000_000, warnings: 0, notes: 1 },
          streams: [{ stream: 'kindred:clicks', messages: 120_000, skipped: 3, lost: 0 }],
          failed_job: null,
        },
      },
      async handler({ query, caller: { accountId }, runtime }) {
        const project = await findProject(store, accountId, query.project_id);
        const { project_id } = project;
        const count = async (kind: DatasetKind) =>
          (await store.datasets.get(accountId, kind, project[`${kind}_dataset_id`]))?.num_records ?? 0;
        const events = await count('event');
        const [newest] = (await store.events.list(project.event_dataset_id, NEWEST)).entries;
        const report = await store.health.get(accountId, project_id);
        const warnings = report?.findings.filter(({ level }) => level === 'warning').length ?? 0;
        return {
          project_id,
          data: {
            users: await count('user'),
            items: await count('item'),
            events,
            newest_event_ts: newest?.ts ?? null,
          },
          model: await servingModel(store, accountId, { projectId: project_id, events }),
          serving: times.read(accountId, runtime.nowMs()),
          health: report && {
            checked_ts: report.checked_ts,
            warnings,
            notes: report.findings.length - warnings,
          },
          streams: await streamsOf(store, project),
          failed_job: await failedJob(store, accountId, project_id),
        };
      },
    }),
  ];
}

async function servingModel(
  { deployments, models }: Pick<StatusStores, 'deployments' | 'models'>,
  accountId: string,
  { projectId, events }: { projectId: string; events: number },
) {
  const active = await deployments.active(accountId, projectId);
  const model = active && (await models.get(accountId, projectId, active.generator_model_id));
  if (!model) return null;
  const { model_id, name, created_ts, training } = model;
  const read = typeof training.events_read === 'number' ? training.events_read : null;
  const new_events = read === null ? null : Math.max(0, events - read);
  return { model_id, name, created_ts, events: read, new_events };
}

async function streamsOf({ streams }: Pick<StatusStores, 'streams'>, project: Project) {
  const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
  const datasets = new Set([user_dataset_id, item_dataset_id, event_dataset_id]);
  const found = await Promise.all([...datasets].map((datasetId) => streams.positions(datasetId)));
  const byStream = Map.groupBy(found.flat(), ({ stream }) => stream);
  return [...byStream].map(([stream, partitions]) => {
    const sum = (name: 'messages' | 'skipped' | 'lost') => partitions.reduce((total, one) => total + one[name], 0);
    return { stream, messages: sum('messages'), skipped: sum('skipped'), lost: sum('lost') };
  });
}

async function failedJob({ jobs }: Pick<StatusStores, 'jobs'>, accountId: string, projectId: string) {
  const { entries } = await jobs.list(accountId, { project_id: projectId }, { page_size: 10, page_token: null });
  const ended = entries.find(({ job_status }) => job_status !== 'PENDING' && job_status !== 'RUNNING');
  if (ended?.job_status !== 'FAILED') return null;
  const { job_id, job_type, name, failure_reason } = ended;
  return { job_id, job_type, name, message: failure_reason?.message ?? 'The job failed.' };
}
