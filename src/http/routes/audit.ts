// The audit log: who changed what, when.
import { Type } from 'typebox';
import { DAY_MS } from '../../base/durations.ts';
import { ACTOR_KINDS, AUDIT_LIMITS, type AuditEntry } from '../../domain/audit-entry.ts';
import type { AuditStore } from '../../store/audit-store.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  ClientId,
  closed,
  NextPageToken,
  nullable,
  oneOf,
  open,
  pageQuery,
  ServiceId,
  TimeMs,
  toPageRequest,
} from '../schemas/common.ts';
import { openAs } from '../schemas/named.ts';

const AuditResponse = openAs('AuditEntry', {
  entry_id: Type.String(),
  created_ts: TimeMs,
  last_ts: Type.Unsafe<number>({ ...TimeMs, description: 'Time of the last call that counts in the entry.' }),
  actor: open({
    kind: oneOf(ACTOR_KINDS, {
      description:
        '`person`: someone who signed in to the console. `operator`: a command on the machine of the service. `automation`: the service itself, by the rules of a project.',
    }),
    id: Type.String({ description: 'The id of the API key or person.' }),
    name: nullable(Type.String({ description: 'Name of the key now, or of the person then.' })),
  }),
  operation: Type.String({ description: 'Path of the call, or the command.' }),
  object_id: nullable(Type.String({ description: 'What was changed.' })),
  summary: Type.String({ description: 'What was sent, without secrets, ids of users and free text.' }),
  calls: Type.Integer({
    description: 'More than 1 for calls that write or delete records: an hour of them is one entry.',
  }),
  records: Type.Integer({ description: 'Records written or deleted.' }),
  request_id: nullable(Type.String({ description: 'The id of the last call, as in the log of the service.' })),
});

export function auditRoutes(audit: AuditStore): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/list-audit-entries',
      tag: 'Account',
      role: 'admin',
      summary: 'List changes: who did what, when, newest first',
      description: `Each change of the account is in the log before its call returns. Calls that write or delete records count in one entry per key, dataset and hour; upserts appear within seconds. The newest ${AUDIT_LIMITS.entries.toLocaleString('en-US')} entries of the last ${AUDIT_LIMITS.ageMs / DAY_MS} days are kept.`,
      query: closed({
        from_ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'Changes from this time on.' })),
        to_ts: Type.Optional(Type.Unsafe<number>({ ...TimeMs, description: 'Changes before this time.' })),
        operation: Type.Optional(
          Type.Unsafe<string>({ ...ClientId, description: 'One operation, such as `/create-api-key`.' }),
        ),
        key_id: Type.Optional(Type.Unsafe<string>({ ...ServiceId, description: 'Changes by this API key.' })),
        person_id: Type.Optional(Type.Unsafe<string>({ ...ServiceId, description: 'Changes by this person.' })),
        ...pageQuery,
      }),
      response: open({ audit_entries: Type.Array(AuditResponse), next_page_token: NextPageToken }),
      errors: ['INVALID_PAGE_TOKEN'],
      examples: {
        request: { operation: '/create-api-key' },
        response: {
          audit_entries: [
            {
              entry_id: 'aud_01k9zq7f5h7k9m1p3r5t7w9y1a',
              created_ts: 1_762_000_000_000,
              last_ts: 1_762_000_000_000,
              actor: { kind: 'key', id: 'key_01k9zq7f5h7k9m1p3r5t7w9y1a', name: 'first key' },
              operation: '/create-api-key',
              object_id: 'key_01k9zq7f5h7k9m1p3r5t7w9y1b',
              summary: 'name: "ci", scopes: 1 entry',
              calls: 1,
              records: 0,
              request_id: '6f1c2a9be04d-7',
            },
          ],
          next_page_token: null,
        },
      },
      async handler({ query: { from_ts, to_ts, operation, key_id, person_id, ...page }, caller }) {
        const filter = { from_ts, to_ts, operation, actor_id: key_id ?? person_id };
        const { entries, next_page_token } = await audit.list(caller.accountId, filter, toPageRequest(page));
        return { audit_entries: entries.map(toResponse), next_page_token };
      },
    }),
  ];
}

function toResponse({ account_id, actor_kind, actor_id, actor_name, ...entry }: AuditEntry) {
  return { ...entry, actor: { kind: actor_kind, id: actor_id, name: actor_name } };
}
