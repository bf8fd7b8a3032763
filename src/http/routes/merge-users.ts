// A visitor signs in and becomes a user.

import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { findProject } from '../find-project.ts';
import { defineRoute, type Route } from '../route.ts';
import { ClientId, closed, open, ServiceId } from '../schemas/common.ts';
import { EXAMPLE_PROJECT_ID } from '../schemas/examples.ts';
import { findDataset } from './dataset-kinds.ts';

export type MergeStore = Pick<Store, 'accounts' | 'projects' | 'datasets' | 'mergeUsers'>;

export function mergeUserRoutes(store: MergeStore): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/merge-users',
      tag: 'User datasets',
      audit: 'hourly',
      summary: 'Merge a visitor into a user',
      description:
        "All events of `from_user_id` become events of `into_user_id`, with their ids and times, in the event dataset of the project. The records in its user dataset become one: where both have an attribute, `into_user_id` keeps its own; one that is null counts as missing. Nothing is left of `from_user_id`. Takes effect at once on every node. `into_user_id` may be new. Safe to send again: if nothing is stored about `from_user_id` (any more), `merged_events` is 0. Events that arrive later under `from_user_id` are a new visitor's; call again to merge them.",
      body: closed({
        project_id: Type.Optional(
          Type.Unsafe<string>({ ...ServiceId, description: "Default: the account's default project." }),
        ),
        from_user_id: Type.Unsafe<string>({ ...ClientId, description: 'The visitor. It is deleted after the merge.' }),
        into_user_id: Type.Unsafe<string>({ ...ClientId, description: 'The user to keep.' }),
      }),
      response: open({
        project_id: Type.String(),
        from_user_id: Type.String(),
        into_user_id: Type.String(),
        merged_events: Type.Integer({ description: 'Events moved by this call.' }),
        merged_record: Type.Boolean({ description: 'Whether from_user_id had a record.' }),
      }),
      errors: ['PROJECT_NOT_FOUND', 'RECORD_NOT_FOUND', 'OVERLOADED', 'STORE_UNAVAILABLE'],
      examples: {
        request: { project_id: EXAMPLE_PROJECT_ID, from_user_id: 'visitor-7f3a', into_user_id: 'u-1' },
        response: {
          project_id: EXAMPLE_PROJECT_ID,
          from_user_id: 'visitor-7f3a',
          into_user_id: 'u-1',
          merged_events: 12,
          merged_record: false,
        },
      },
      async handler({ body: { project_id, from_user_id, into_user_id }, caller: { accountId } }) {
        if (from_user_id === into_user_id) {
          throw invalid('A user cannot be merged into itself.', 'must differ from from_user_id');
        }
        const project = await findProject(store, accountId, project_id);
        const users = await findDataset(store.datasets, accountId, 'user', project.user_dataset_id);
        const events = await findDataset(store.datasets, accountId, 'event', project.event_dataset_id);
        const merged = await store.mergeUsers({ users, events }, { from: from_user_id, into: into_user_id });
        if (merged === null) {
          const limit = 'over 1,048,576 bytes of JSON';
          throw invalid(
            `The record of both users together would be ${limit}. Remove attributes of one of them first. Nothing was changed.`,
            `has, together with from_user_id, attributes ${limit}`,
          );
        }
        const { movedEvents, hadRecord, knowsInto } = merged;
        if (movedEvents === 0 && !hadRecord && !knowsInto) {
          throw new AppError(
            'RECORD_NOT_FOUND',
            `User ${from_user_id} was not found in the project's datasets, and neither was user ${into_user_id}.`,
            { errors: [{ pointer: '/from_user_id', message: 'was not found' }] },
          );
        }
        return {
          project_id: project.project_id,
          from_user_id,
          into_user_id,
          merged_events: movedEvents,
          merged_record: hadRecord,
        };
      },
    }),
  ];
}

const invalid = (detail: string, message: string): AppError =>
  new AppError('INVALID_REQUEST', detail, { errors: [{ pointer: '/into_user_id', message }] });
