// Webhooks and their deliveries over the Database seam.
import type { Job } from '../../domain/job.ts';
import type { Webhook, WebhookEvent } from '../../domain/webhook.ts';
import type { Database, Row, SqlValue, Statement } from '../database.ts';
import { AT_ONCE, type AttemptOutcome, type Delivery, type DueWebhook, type WebhookStore } from '../webhook-store.ts';
import { jobOf } from './job-row.ts';
import { storedObject } from './stored-json.ts';

/** Most deliveries that wait for one webhook. If its receiver is down for long, further ones are dropped. */
const MAX_WAITING = 1000;
const MAX_MESSAGE_LENGTH = 500;
/** Longer claims come from a node whose clock was wrong and are ignored. */
const LONGEST_CLAIM_MS = 600_000;
/** The condition that no node claims the webhook. Its parameters are those of `unclaimedAt`. */
const IS_UNCLAIMED = '(claimed_until <= ? OR claimed_until > ?)';
const unclaimedAt = (nowMs: number): number[] => [nowMs, nowMs + LONGEST_CLAIM_MS];

export class SqlWebhookStore implements WebhookStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async create(webhook: Webhook, limit: number): Promise<'created' | 'limit'> {
    const { account_id, webhook_id, url, events, created_ts } = webhook;
    const [, inserted] = await this.#database.atomic([
      // Locks the account, so that two calls at once cannot both take the last free place.
      { sql: 'UPDATE account SET name = name WHERE account_id = ?', params: [account_id] },
      {
        sql: `INSERT INTO webhook (webhook_id, account_id, url, events, created_ts)
              SELECT ?, account_id, ?, ?, CAST(? AS BIGINT) FROM account
              WHERE account_id = ? AND (SELECT COUNT(*) FROM webhook WHERE account_id = ?) < ? RETURNING webhook_id`,
        params: [webhook_id, url, JSON.stringify(events), created_ts, account_id, account_id, limit],
      },
    ]);
    return inserted.length === 1 ? 'created' : 'limit';
  }

  async list(accountId: string): Promise<Webhook[]> {
    const rows = await this.#database.all(
      'SELECT * FROM webhook WHERE account_id = ? ORDER BY created_ts DESC, webhook_id DESC',
      [accountId],
    );
    return rows.map(toWebhook);
  }

  async delete(accountId: string, webhookId: string): Promise<Webhook | null> {
    const [[row]] = await this.#database.atomic([
      {
        sql: 'DELETE FROM webhook WHERE account_id = ? AND webhook_id = ? RETURNING *',
        params: [accountId, webhookId],
      },
      {
        sql: 'DELETE FROM webhook_delivery WHERE webhook_id = ? AND account_id = ?',
        params: [webhookId, accountId],
      },
    ]);
    return row ? toWebhook(row) : null;
  }

  async announce(
    accountId: string,
    { event, subject, data }: { event: WebhookEvent; subject: string; data: object },
    nowMs: number,
  ): Promise<void> {
    await this.#database.atomic([announceNews(accountId, { event, subject, data }, nowMs)]);
  }

  async due(nowMs: number, limit: number): Promise<DueWebhook[]> {
    const rows = await this.#database.all(
      `SELECT waiting.webhook_id, waiting.account_id, MIN(next_ts) AS first, ROW_NUMBER() OVER (
         PARTITION BY waiting.account_id ORDER BY MIN(next_ts), MIN(waiting.created_ts)) AS place
       FROM webhook_delivery waiting JOIN webhook ON webhook.webhook_id = waiting.webhook_id
       WHERE next_ts <= ? AND ${IS_UNCLAIMED}
       GROUP BY waiting.webhook_id, waiting.account_id ORDER BY place, first, MIN(waiting.created_ts) LIMIT ?`,
      [nowMs, ...unclaimedAt(nowMs), limit],
    );
    return rows.map((row) => ({ accountId: String(row.account_id), webhookId: String(row.webhook_id) }));
  }

  async claim(webhookId: string, nowMs: number, untilMs: number): Promise<Delivery | null> {
    const [[webhook]] = await this.#database.atomic([
      {
        sql: `UPDATE webhook SET claimed_until = ? WHERE webhook_id = ? AND ${IS_UNCLAIMED} AND EXISTS (SELECT 1
              FROM webhook_delivery waiting WHERE waiting.webhook_id = webhook.webhook_id AND next_ts <= ?) RETURNING url`,
        params: [untilMs, webhookId, ...unclaimedAt(nowMs), nowMs],
      },
    ]);
    if (webhook === undefined) return null;
    const lock = this.#database.dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
    // From here on this node owns the webhook. If the node stops in between, the claim expires.
    const [[claimed]] = await this.#database.atomic([
      {
        sql: `UPDATE webhook_delivery SET next_ts = ?, attempts = attempts + 1 WHERE delivery_id = (
                SELECT delivery_id FROM webhook_delivery WHERE webhook_id = ? AND next_ts <= ?
                ORDER BY next_ts, created_ts, delivery_id LIMIT 1 ${lock}) RETURNING *`,
        params: [untilMs, webhookId, nowMs],
      },
    ]);
    if (claimed === undefined) return null;
    const [job] = await this.#database.all('SELECT * FROM job WHERE job_id = ?', [claimed.job_id]);
    return toDelivery(claimed, { url: String(webhook.url), job: job ? jobOf(job) : null, untilMs });
  }

  async ended(
    { deliveryId, claimedUntilMs, webhook: { webhook_id } }: Delivery,
    outcome: AttemptOutcome,
  ): Promise<void> {
    const { succeeded, message, nowMs, nextMs, othersNextMs = AT_ONCE } = outcome;
    const last = JSON.stringify({ ts: nowMs, succeeded, message: message.slice(0, MAX_MESSAGE_LENGTH) });
    await this.#database.atomic([
      {
        sql: `UPDATE webhook SET last_attempt = ?, claimed_until = CASE claimed_until WHEN ? THEN 0 ELSE claimed_until END
              WHERE webhook_id = ?`,
        params: [last, claimedUntilMs, webhook_id],
      },
      {
        sql: 'UPDATE webhook_delivery SET next_ts = ? WHERE webhook_id = ? AND next_ts < ?',
        params: [othersNextMs, webhook_id, othersNextMs],
      },
      nextMs === null
        ? { sql: 'DELETE FROM webhook_delivery WHERE delivery_id = ?', params: [deliveryId] }
        : { sql: 'UPDATE webhook_delivery SET next_ts = ? WHERE delivery_id = ?', params: [nextMs, deliveryId] },
    ]);
  }
}

const INSERT_DELIVERY =
  'INSERT INTO webhook_delivery (delivery_id, webhook_id, account_id, event, job_id, data, created_ts, next_ts, attempts)';
const NEW_TIMES = `CAST(? AS BIGINT), ${AT_ONCE}, 0`;
const WANTS_IT = `events LIKE ? AND (SELECT COUNT(*) FROM webhook_delivery waiting
  WHERE waiting.webhook_id = webhook.webhook_id) < ${MAX_WAITING}`;

/**
 * Queues news that do not come from a job, once per subject. Returns a statement for the transaction that makes the news true.
 */
export function announceNews(
  accountId: string,
  { event, subject, data }: { event: WebhookEvent; subject: string; data: object },
  nowMs: number,
  condition: Statement = { sql: 'TRUE' },
): Statement {
  return {
    sql: `${INSERT_DELIVERY} SELECT webhook_id || '.' || ?, webhook_id, account_id, ?, NULL, ?, ${NEW_TIMES}
          FROM webhook WHERE account_id = ? AND ${WANTS_IT} AND ${condition.sql} ON CONFLICT DO NOTHING`,
    params: [
      `${event}.${subject}`,
      event,
      JSON.stringify(data),
      nowMs,
      accountId,
      `%"${event}"%`,
      ...(condition.params ?? []),
    ],
  };
}

/**
 * Announces the end of jobs to the webhooks of their accounts. Returns a statement for the transaction that ends them at `nowMs`.
 * `where` finds the jobs. Nothing is announced for those that have not ended, ended before, or ended in another way.
 */
export function announceEnds(where: string, params: readonly SqlValue[], nowMs: number): Statement {
  const event = `CASE WHEN job_status = 'FAILED' THEN 'job.failed' WHEN job_type = 'TRAINING' THEN 'model.trained'
    ELSE 'model.deployed' END`;
  const tells = `(job_status = 'FAILED' OR (job_status = 'SUCCEED' AND job_type IN ('TRAINING', 'DEPLOYMENT')))`;
  return {
    sql: `${INSERT_DELIVERY}
      SELECT webhook_id || '.' || ended.event || '.' || ended.job_id, webhook_id, webhook.account_id, ended.event, ended.job_id,
        NULL, ${NEW_TIMES}
      FROM (SELECT job_id, account_id, ${event} AS event FROM job
        WHERE ${where} AND parent_job_id IS NULL AND finished_ts = ? AND ${tells}) ended
      JOIN webhook ON webhook.account_id = ended.account_id
      WHERE ${WANTS_IT.replace('?', `'%"' || ended.event || '"%'`)} ON CONFLICT DO NOTHING`,
    params: [nowMs, ...params, nowMs],
  };
}

function toWebhook(row: Row): Webhook {
  return {
    account_id: String(row.account_id),
    webhook_id: String(row.webhook_id),
    url: String(row.url),
    events: JSON.parse(String(row.events)) as WebhookEvent[],
    created_ts: Number(row.created_ts),
    last_attempt: row.last_attempt === null ? null : storedObject(row.last_attempt),
  };
}

function toDelivery(
  row: Row,
  { url, job, untilMs }: { readonly url: string; readonly job: Job | null; readonly untilMs: number },
): Delivery {
  return {
    deliveryId: String(row.delivery_id),
    event: row.event as WebhookEvent,
    data: row.data === null ? aboutJob(job) : storedObject(row.data),
    createdMs: Number(row.created_ts),
    attempts: Number(row.attempts),
    claimedUntilMs: untilMs,
    webhook: { account_id: String(row.account_id), webhook_id: String(row.webhook_id), url },
  };
}

/** Returns an empty object if the job's project was deleted in the meantime. */
function aboutJob(job: Job | null): Record<string, unknown> {
  if (job === null) return {};
  const { project_id, job_id, job_type, name, failure_reason, job_result, job_data } = job;
  const model_id = job_result?.model_id ?? job_data.model_id ?? job_data.generator_model_id ?? null;
  return { project_id, job_id, job_type, name, model_id, failure_reason };
}
