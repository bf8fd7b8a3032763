// Projects: a user, an item and an event dataset, and the event type to optimize for.

import { type Static, Type } from 'typebox';
import { newId } from '../../domain/ids.ts';
import { projectNotFound } from '../../domain/not-found.ts';
import { DEFAULT_ASSIST_HOURS, MAX_ASSIST_HOURS, PROJECT_TYPES, type Project } from '../../domain/project.ts';
import { AppError } from '../../errors.ts';
import type { ResultEraser } from '../../results/erase-users.ts';
import { FILES_LIFETIME_SEC } from '../../results/result-link.ts';
import type { DatasetStore, ProjectStore } from '../../store/registry-store.ts';
import { projectById } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { AutomationFields, EXAMPLE_AUTOMATION, readAutomation } from '../schemas/automation.ts';
import {
  ClientId,
  closed,
  Name,
  NextPageToken,
  nullable,
  oneOf,
  open,
  pageQuery,
  ServiceId,
  TimeMs,
  toPageRequest,
} from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { openAs } from '../schemas/named.ts';
import { EXAMPLE_MAPPING, SegmentMapping } from '../schemas/segment.ts';
import { datasetIdField, datasetNotFound, EXAMPLE_DATASET_IDS, KINDS } from './dataset-kinds.ts';

export interface ProjectParts {
  projects: ProjectStore;
  datasets: DatasetStore;
  /** Public address of the service. */
  baseUrl(): string;
  /** Resolves when every API node has followed the epoch. */
  followedEverywhere(epoch: number): Promise<void>;
  results: Pick<ResultEraser, 'remove'>;
}

const AssistWindow = Type.Integer({
  minimum: 1,
  maximum: MAX_ASSIST_HOURS,
  description: `For how many hours after an item was shown events without a recommendation_id count as assisted (default: ${DEFAULT_ASSIST_HOURS}). A change applies to items that are shown from then on.`,
});

const ProjectResponse = openAs('Project', {
  project_id: Type.String(),
  name: Type.String(),
  project_type: oneOf(PROJECT_TYPES),
  user_dataset_id: Type.String(),
  item_dataset_id: Type.String(),
  event_dataset_id: Type.String(),
  target_event_type: Type.String(),
  segment_mapping: nullable(SegmentMapping),
  automation: nullable(AutomationFields),
  assist_window_hours: AssistWindow,
  serving_uri: Type.String({ description: "Address of the project's recommendation service." }),
  created_ts: TimeMs,
});

const EXAMPLE_REQUEST = {
  name: 'shop',
  project_type: 'RECOMMEND_ITEMS_TO_USER',
  user_dataset_id: EXAMPLE_DATASET_IDS.user,
  item_dataset_id: EXAMPLE_DATASET_IDS.item,
  event_dataset_id: EXAMPLE_DATASET_IDS.event,
  target_event_type: 'purchase',
};
const EXAMPLE_RESPONSE = {
  project_id: EXAMPLE_PROJECT_ID,
  ...EXAMPLE_REQUEST,
  segment_mapping: null,
  automation: null,
  assist_window_hours: DEFAULT_ASSIST_HOURS,
  serving_uri: `http://127.0.0.1:8080/projects/${EXAMPLE_PROJECT_ID}`,
  created_ts: 1_762_000_000_000,
};

/** The address at which the project's calls are served. */
export const servingUri = (baseUrl: string, projectId: string): string => `${baseUrl}/projects/${projectId}`;

export function projectRoutes({ projects, datasets, baseUrl, followedEverywhere, results }: ProjectParts): Route[] {
  const toResponse = ({
    account_id,
    segment_mapping,
    automation,
    assist_window_hours,
    ...project
  }: Project): Static<typeof ProjectResponse> => ({
    ...project,
    segment_mapping: (segment_mapping ?? null) as Static<typeof SegmentMapping> | null,
    automation: automation ?? null,
    assist_window_hours: assist_window_hours ?? DEFAULT_ASSIST_HOURS,
    serving_uri: servingUri(baseUrl(), project.project_id),
  });

  return [
    defineRoute({
      method: 'POST',
      path: '/create-project',
      tag: 'Projects',
      summary: 'Create a project',
      body: closed({
        name: Name,
        project_type: oneOf(PROJECT_TYPES),
        user_dataset_id: ServiceId,
        item_dataset_id: ServiceId,
        event_dataset_id: ServiceId,
        target_event_type: ClientId,
        segment_mapping: Type.Optional(SegmentMapping),
        automation: Type.Optional(AutomationFields),
        assist_window_hours: Type.Optional(AssistWindow),
      }),
      response: ProjectResponse,
      errors: ['DATASET_NOT_FOUND'],
      examples: { request: EXAMPLE_REQUEST, response: EXAMPLE_RESPONSE },
      async handler({ body: { automation, ...body }, caller, runtime }) {
        const project: Project = {
          account_id: caller.accountId,
          project_id: newId('project', runtime),
          ...body,
          ...(automation && { automation: readAutomation(automation) }),
          created_ts: runtime.nowMs(),
        };
        if ((await projects.create(project)) === 'created') return toResponse(project);
        for (const kind of KINDS) {
          const datasetId = body[datasetIdField(kind)];
          if (!(await datasets.get(caller.accountId, kind, datasetId))) throw datasetNotFound(kind, datasetId);
        }
        throw new AppError('DATASET_NOT_FOUND', 'One of the datasets was deleted during the call.');
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-project',
      tag: 'Projects',
      summary: 'Read a project',
      query: closed({ project_id: ServiceId }),
      response: ProjectResponse,
      errors: ['PROJECT_NOT_FOUND'],
      examples: { request: { project_id: EXAMPLE_PROJECT_ID }, response: EXAMPLE_RESPONSE },
      handler: async ({ query, caller }) => toResponse(await projectById(projects, caller.accountId, query.project_id)),
    }),
    defineRoute({
      method: 'GET',
      path: '/list-projects',
      tag: 'Projects',
      summary: "List the account's projects, newest first",
      query: closed(pageQuery),
      response: open({ projects: Type.Array(ProjectResponse), next_page_token: NextPageToken }),
      errors: ['INVALID_PAGE_TOKEN'],
      examples: { request: {}, response: { projects: [EXAMPLE_RESPONSE], next_page_token: null } },
      async handler({ query, caller }) {
        const page = await projects.list(caller.accountId, toPageRequest(query));
        return { projects: page.entries.map(toResponse), next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'PUT',
      path: '/update-project',
      tag: 'Projects',
      summary: 'Change the name of a project, its automation, its assist window, or how it reads messages of Segment',
      description:
        'What is left out stays. `segment_mapping: null` goes back to the defaults, `automation: null` switches it off.',
      body: closed({
        project_id: ServiceId,
        name: Type.Optional(Name),
        segment_mapping: Type.Optional(nullable(SegmentMapping)),
        automation: Type.Optional(nullable(AutomationFields)),
        assist_window_hours: Type.Optional(AssistWindow),
      }),
      response: ProjectResponse,
      errors: ['PROJECT_NOT_FOUND'],
      examples: {
        request: {
          project_id: EXAMPLE_PROJECT_ID,
          segment_mapping: EXAMPLE_MAPPING,
          automation: EXAMPLE_AUTOMATION,
        },
        response: { ...EXAMPLE_RESPONSE, segment_mapping: EXAMPLE_MAPPING, automation: EXAMPLE_AUTOMATION },
      },
      async handler({ body: { project_id, automation, ...change }, caller }) {
        const rules = automation && readAutomation(automation);
        const project = await projects.update(caller.accountId, project_id, { ...change, automation: rules });
        if (project === null) throw projectNotFound(project_id);
        return toResponse(project);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/delete-project',
      tag: 'Projects',
      summary: 'Delete a project with its algorithms, models and jobs',
      description:
        'Fails while it is deployed or has an unfinished job. Results of its jobs can no longer be downloaded. Its datasets are kept.',
      body: closed({ project_id: ServiceId }),
      response: ProjectResponse,
      errors: ['PROJECT_NOT_FOUND', 'PROJECT_IN_USE'],
      examples: { request: { project_id: EXAMPLE_PROJECT_ID }, response: EXAMPLE_RESPONSE },
      async handler({ body: { project_id }, caller, request, runtime }) {
        const resultsSinceTs = runtime.nowMs() - FILES_LIFETIME_SEC * 1000;
        const deleted = await projects.delete(caller.accountId, project_id, resultsSinceTs);
        if (deleted === null) throw projectNotFound(project_id);
        if (deleted === 'in-use') {
          throw new AppError(
            'PROJECT_IN_USE',
            'The project is deployed or has an unfinished job. Call /shutdown-deployment or /cancel-job first.',
          );
        }
        // The project is deleted. Files that cannot be removed now are removed by the hourly sweep.
        await results
          .remove(deleted.results)
          .catch((error) => request.log.warn({ err: error }, 'results of a deleted project could not be removed'));
        await followedEverywhere(deleted.epoch);
        return toResponse(deleted.project);
      },
    }),
  ];
}
