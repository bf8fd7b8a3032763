// The calls of the service: method, and whether a call may be sent twice without doing more than once.
// `repeatable` decides what is retried after a lost connection (see retry.ts). Deleting one named object is
// not: the second attempt could return 404 although the first one did the work. Nor is changing a placement: each change is a version, and
// the second attempt would find the first one's instead of the version it expects.
import { withEventIds } from './event-ids.ts';
import type { Operations } from './operation-types.ts';

export type OperationPath = keyof Operations;
export type RequestOf<Path extends OperationPath> = Operations[Path]['request'];
export type AnswerOf<Path extends OperationPath> = Operations[Path]['answer'];

export interface Operation<Method = Operations[OperationPath]['method']> {
  method: Method;
  repeatable: boolean;
  /** Completes the request once before it is sent, so that it is equal in every attempt. */
  prepare?(request: never): object;
}

const READ: Operation<'GET'> = { method: 'GET', repeatable: true };
const ASK: Operation<'POST'> = { method: 'POST', repeatable: true };
const CREATE: Operation<'POST'> = { method: 'POST', repeatable: false };
const UPSERT: Operation<'POST'> = { method: 'POST', repeatable: true };
const SUBMIT: Operation<'POST'> = { method: 'POST', repeatable: false };
const UPDATE: Operation<'PUT'> = { method: 'PUT', repeatable: true };
const DELETE_OBJECT: Operation<'DELETE'> = { method: 'DELETE', repeatable: false };
const DELETE_RECORDS: Operation<'DELETE'> = { method: 'DELETE', repeatable: true };

export const OPERATIONS: { readonly [Path in OperationPath]: Operation<Operations[Path]['method']> } = {
  '/create-user-dataset': CREATE,
  '/get-user-dataset': READ,
  '/list-user-datasets': READ,
  '/update-user-dataset': UPDATE,
  '/delete-user-dataset': DELETE_OBJECT,
  '/upsert-dataset-users': UPSERT,
  '/patch-dataset-users': UPSERT,
  '/delete-dataset-users': DELETE_RECORDS,
  '/create-item-dataset': CREATE,
  '/get-item-dataset': READ,
  '/list-item-datasets': READ,
  '/update-item-dataset': UPDATE,
  '/delete-item-dataset': DELETE_OBJECT,
  '/upsert-dataset-items': UPSERT,
  '/patch-dataset-items': UPSERT,
  '/delete-dataset-items': DELETE_RECORDS,
  '/create-event-dataset': CREATE,
  '/get-event-dataset': READ,
  '/list-event-datasets': READ,
  '/update-event-dataset': UPDATE,
  '/delete-event-dataset': DELETE_OBJECT,
  '/upsert-dataset-events': UPSERT,
  '/track': { ...UPSERT, prepare: withEventIds },
  '/delete-dataset-events': DELETE_RECORDS,
  '/delete-dataset-user-events': DELETE_RECORDS,
  '/delete-dataset-events-before-ts': DELETE_RECORDS,
  '/merge-users': UPSERT,
  '/get-dataset-record': READ,
  '/list-dataset-records': READ,
  '/get-event-statistics': READ,
  '/get-attribute-statistics': READ,
  '/create-webhook': CREATE,
  '/list-webhooks': READ,
  '/delete-webhook': DELETE_OBJECT,
  '/create-project': CREATE,
  '/get-project': READ,
  '/list-projects': READ,
  '/update-project': UPDATE,
  '/delete-project': DELETE_OBJECT,
  '/create-algorithm': CREATE,
  '/get-algorithm': READ,
  '/list-algorithms': READ,
  '/delete-algorithm': DELETE_OBJECT,
  '/submit-training-job': SUBMIT,
  '/submit-deployment-job': SUBMIT,
  '/submit-querying-job': SUBMIT,
  '/submit-clustering-job': SUBMIT,
  '/submit-recommendation-job': SUBMIT,
  '/submit-export-job': SUBMIT,
  '/submit-import-job': SUBMIT,
  '/submit-data-health-job': ASK,
  '/get-job': READ,
  '/list-jobs': READ,
  '/cancel-job': { method: 'POST', repeatable: false },
  '/update-model': UPDATE,
  '/get-model': READ,
  '/list-models': READ,
  '/delete-model': DELETE_OBJECT,
  '/get-deployment': READ,
  '/shutdown-deployment': DELETE_OBJECT,
  '/rollback-deployment': { method: 'POST', repeatable: false },
  '/list-automation-decisions': READ,
  '/get-automation-status': READ,
  '/recommend-items-to-user': ASK,
  '/recommend-items-to-item': ASK,
  '/rank-items-to-user': ASK,
  '/call-placement': ASK,
  '/compose-page': ASK,
  '/preview-placement': ASK,
  '/create-placement': CREATE,
  '/update-placement': { method: 'PUT', repeatable: false },
  '/get-placement': READ,
  '/list-placements': READ,
  '/list-placement-versions': READ,
  '/rollback-placement': { method: 'POST', repeatable: false },
  '/delete-placement': DELETE_OBJECT,
  '/create-experiment': CREATE,
  '/get-experiment': READ,
  '/list-experiments': READ,
  '/stop-experiment': { method: 'POST', repeatable: true },
  '/list-top-items': ASK,
  '/record-impressions': UPSERT,
  '/get-placement-report': READ,
  '/get-data-health': READ,
  '/get-project-status': READ,
  '/get-account': READ,
  '/update-account': UPDATE,
  '/list-api-keys': READ,
  '/create-api-key': CREATE,
  '/list-audit-entries': READ,
  '/list-console-sessions': READ,
  '/end-console-sessions': { method: 'POST', repeatable: true },
  '/rotate-api-key': { method: 'POST', repeatable: false },
  '/disable-api-key': { method: 'POST', repeatable: true },
};
