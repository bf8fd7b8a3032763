// Algorithm configurations of a project.

import { type Static, Type } from 'typebox';
import { algorithmParametersSchema } from '../../domain/algorithm-parameters-schema.ts';
import { newId } from '../../domain/ids.ts';
import { algorithmNotFound, projectNotFound } from '../../domain/not-found.ts';
import { parseAlgorithmParameters } from '../../domain/parse-algorithm-parameters.ts';
import { ALGORITHM_TYPES, type Algorithm } from '../../domain/project.ts';
import type { AlgorithmStore, ProjectStore } from '../../store/registry-store.ts';
import { projectById } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  closed,
  Name,
  NextPageToken,
  oneOf,
  open,
  pageQuery,
  ServiceId,
  shownAs,
  TimeMs,
  toPageRequest,
} from '../schemas/common.ts';
import { EXAMPLE_ALGORITHM_ID, EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { openAs } from '../schemas/named.ts';

export interface AlgorithmParts {
  algorithms: AlgorithmStore;
  projects: ProjectStore;
}

const AlgorithmResponse = openAs('Algorithm', {
  project_id: Type.String(),
  algorithm_id: Type.String(),
  name: Type.String(),
  algorithm_type: oneOf(ALGORITHM_TYPES),
  algorithm_parameters: Type.Record(Type.String(), Type.Unknown()),
  created_ts: TimeMs,
});

const byId = { project_id: ServiceId, algorithm_id: ServiceId };
const EXAMPLE_IDS = { project_id: EXAMPLE_PROJECT_ID, algorithm_id: EXAMPLE_ALGORITHM_ID };
const EXAMPLE_RESPONSE = {
  ...EXAMPLE_IDS,
  name: 'automatic',
  algorithm_type: 'G1',
  algorithm_parameters: {},
  created_ts: 1_762_000_000_000,
};

export function algorithmRoutes({ algorithms, projects }: AlgorithmParts): Route[] {
  const toResponse = ({ account_id, ...algorithm }: Algorithm): Static<typeof AlgorithmResponse> => algorithm;

  return [
    defineRoute({
      method: 'POST',
      path: '/create-algorithm',
      tag: 'Algorithms',
      summary: 'Create an algorithm configuration',
      description: 'An empty `algorithm_parameters` lets the service choose all of them from the data.',
      body: closed({
        project_id: ServiceId,
        name: Name,
        algorithm_type: oneOf(ALGORITHM_TYPES),
        algorithm_parameters: Type.Optional(
          shownAs<Record<string, unknown>>(algorithmParametersSchema(), { type: 'object' }),
        ),
      }),
      response: AlgorithmResponse,
      errors: ['PROJECT_NOT_FOUND', 'INVALID_ALGORITHM_PARAMETER'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, name: 'automatic', algorithm_type: 'G1', algorithm_parameters: {} },
        response: EXAMPLE_RESPONSE,
      },
      async handler({ body, caller, runtime }) {
        const { project_id, name, algorithm_type, algorithm_parameters = {} } = body;
        parseAlgorithmParameters(algorithm_parameters);
        const algorithm: Algorithm = {
          account_id: caller.accountId,
          project_id,
          algorithm_id: newId('algorithm', runtime),
          name,
          algorithm_type,
          algorithm_parameters,
          created_ts: runtime.nowMs(),
        };
        if ((await algorithms.create(algorithm)) === 'missing-project') throw projectNotFound(project_id);
        return toResponse(algorithm);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/get-algorithm',
      tag: 'Algorithms',
      summary: 'Read an algorithm configuration',
      query: closed(byId),
      response: AlgorithmResponse,
      errors: ['PROJECT_NOT_FOUND', 'ALGORITHM_NOT_FOUND'],
      examples: { request: EXAMPLE_IDS, response: EXAMPLE_RESPONSE },
      async handler({ query: { project_id, algorithm_id }, caller }) {
        await projectById(projects, caller.accountId, project_id);
        const algorithm = await algorithms.get(caller.accountId, project_id, algorithm_id);
        if (!algorithm) throw algorithmNotFound(project_id, algorithm_id);
        return toResponse(algorithm);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-algorithms',
      tag: 'Algorithms',
      summary: "List a project's algorithm configurations, newest first",
      query: closed({ project_id: ServiceId, ...pageQuery }),
      response: open({ algorithms: Type.Array(AlgorithmResponse), next_page_token: NextPageToken }),
      errors: ['PROJECT_NOT_FOUND', 'INVALID_PAGE_TOKEN'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID },
        response: { algorithms: [EXAMPLE_RESPONSE], next_page_token: null },
      },
      async handler({ query, caller }) {
        await projectById(projects, caller.accountId, query.project_id);
        const page = await algorithms.list(caller.accountId, query.project_id, toPageRequest(query));
        return { algorithms: page.entries.map(toResponse), next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/delete-algorithm',
      tag: 'Algorithms',
      summary: 'Delete an algorithm configuration',
      description: 'Models trained with it are kept.',
      body: closed(byId),
      response: AlgorithmResponse,
      errors: ['PROJECT_NOT_FOUND', 'ALGORITHM_NOT_FOUND'],
      examples: { request: EXAMPLE_IDS, response: EXAMPLE_RESPONSE },
      async handler({ body: { project_id, algorithm_id }, caller }) {
        await projectById(projects, caller.accountId, project_id);
        const deleted = await algorithms.delete(caller.accountId, project_id, algorithm_id);
        if (!deleted) throw algorithmNotFound(project_id, algorithm_id);
        return toResponse(deleted);
      },
    }),
  ];
}
