// Webhooks: create, list, delete. What is sent and how it is signed: docs/webhooks.md.
import { Type } from 'typebox';
import { privateHostOf } from '../../automation/webhooks/private-address.ts';
import { webhookSecret } from '../../automation/webhooks/signature.ts';
import { newId } from '../../domain/ids.ts';
import { webhookNotFound } from '../../domain/not-found.ts';
import {
  MAX_WEBHOOK_URL_LENGTH,
  MAX_WEBHOOKS,
  PRIVATE_ADDRESS,
  WEBHOOK_EVENTS,
  type Webhook,
  webhookUrlProblem,
} from '../../domain/webhook.ts';
import { AppError, invalidField } from '../../errors.ts';
import { pageOfAll } from '../../store/page.ts';
import type { WebhookStore } from '../../store/webhook-store.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  closed,
  NextPageToken,
  nullable,
  oneOf,
  open,
  pageQuery,
  ServiceId,
  toPageRequest,
} from '../schemas/common.ts';
import { openAs } from '../schemas/named.ts';

export interface WebhookParts {
  webhooks: WebhookStore;
  /** the secret from which the webhooks' secrets are derived */
  secret: string;
  allowsPrivate: boolean;
}

const Url = Type.String({ minLength: 1, maxLength: MAX_WEBHOOK_URL_LENGTH, description: 'Receives POST requests.' });
const Events = Type.Array(oneOf(WEBHOOK_EVENTS), { minItems: 1, maxItems: WEBHOOK_EVENTS.length });

const fields = {
  webhook_id: Type.String(),
  url: Url,
  events: Events,
  created_ts: Type.Integer(),
  last_attempt: nullable(
    openAs('WebhookAttempt', {
      ts: Type.Integer(),
      succeeded: Type.Boolean(),
      message: Type.String({ description: 'What the receiver responded, or why it could not be reached.' }),
    }),
  ),
};
const WebhookResponse = openAs('Webhook', fields);

const EXAMPLE = {
  webhook_id: 'whk_01k9zq4m2v8h3c7f5x1d0b6n9e',
  url: 'https://example.com/kindred',
  events: ['job.failed' as const, 'model.trained' as const],
  created_ts: 1_762_300_000_000,
  last_attempt: null,
};

export function webhookRoutes({ webhooks, secret, allowsPrivate }: WebhookParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/create-webhook',
      role: 'admin',
      tag: 'Account',
      summary: 'Create a webhook',
      description: `Sends a signed POST request for each of the events. \`secret\`, which checks the signature, is in this response only. A delivery that fails is repeated for about a day and a half. An account can have ${MAX_WEBHOOKS} webhooks.`,
      body: closed({ url: Url, events: Events }),
      response: open({ ...fields, secret: Type.String() }),
      errors: ['PLAN_LIMIT_EXCEEDED'],
      examples: {
        request: { url: EXAMPLE.url, events: EXAMPLE.events },
        response: { ...EXAMPLE, secret: 'whsec_Q7x…' },
      },
      async handler({ body: { url, events }, caller, reply, runtime }) {
        const problem =
          webhookUrlProblem(url, allowsPrivate) ??
          (allowsPrivate || privateHostOf(url) === null ? null : PRIVATE_ADDRESS);
        if (problem !== null) throw invalidField('/url', problem);
        const webhook: Webhook = {
          account_id: caller.accountId,
          webhook_id: newId('webhook', runtime),
          url,
          events: [...new Set(events)],
          created_ts: runtime.nowMs(),
          last_attempt: null,
        };
        if ((await webhooks.create(webhook, MAX_WEBHOOKS)) === 'limit') {
          throw new AppError(
            'PLAN_LIMIT_EXCEEDED',
            `An account can have ${MAX_WEBHOOKS} webhooks. Delete one you do not need (/delete-webhook).`,
          );
        }
        reply.header('cache-control', 'no-store');
        return { ...toResponse(webhook), secret: webhookSecret(secret, webhook.webhook_id) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/list-webhooks',
      role: 'admin',
      tag: 'Account',
      summary: "List the account's webhooks, newest first",
      query: closed(pageQuery),
      response: open({ webhooks: Type.Array(WebhookResponse), next_page_token: NextPageToken }),
      errors: ['INVALID_PAGE_TOKEN'],
      examples: { request: {}, response: { webhooks: [EXAMPLE], next_page_token: null } },
      async handler({ query, caller }) {
        const all = await webhooks.list(caller.accountId);
        const page = pageOfAll(all, toPageRequest(query), (one) => ({ ts: one.created_ts, id: one.webhook_id }));
        return { webhooks: page.entries.map(toResponse), next_page_token: page.next_page_token };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/delete-webhook',
      tag: 'Account',
      summary: 'Delete a webhook',
      description: 'Deliveries that wait are dropped.',
      body: closed({ webhook_id: ServiceId }),
      response: WebhookResponse,
      errors: ['WEBHOOK_NOT_FOUND'],
      examples: { request: { webhook_id: EXAMPLE.webhook_id }, response: EXAMPLE },
      async handler({ body: { webhook_id }, caller }) {
        const webhook = await webhooks.delete(caller.accountId, webhook_id);
        if (webhook === null) throw webhookNotFound(webhook_id);
        return toResponse(webhook);
      },
    }),
  ];
}

const toResponse = ({ account_id: _, ...webhook }: Webhook) => webhook;
