// Webhooks of accounts and the deliveries that are due. A delivery is written in the transaction of what it tells, so it is
// neither lost nor invented. It is sent at least once: a node claims it for a while, with its webhook, so that a receiver gets one
// at a time; if that node dies, another one claims it.
import type { Webhook, WebhookEvent } from '../domain/webhook.ts';

/**
 * Time of the next attempt for a delivery that need not wait. It is in the past on every clock, even if the writer's clock was
 * ahead.
 */
export const AT_ONCE = 0;

export interface Delivery {
  /** equal for every attempt, so that receivers recognize repeats */
  readonly deliveryId: string;
  readonly event: WebhookEvent;
  readonly data: Record<string, unknown>;
  readonly createdMs: number;
  /** number of attempts, including this one */
  readonly attempts: number;
  /** until then, only the node that claimed the webhook sends to it */
  readonly claimedUntilMs: number;
  readonly webhook: Pick<Webhook, 'account_id' | 'webhook_id' | 'url'>;
}

/** A webhook that has deliveries due and that no node has claimed. */
export interface DueWebhook {
  readonly accountId: string;
  readonly webhookId: string;
}

export interface AttemptOutcome {
  readonly succeeded: boolean;
  readonly message: string;
  readonly nowMs: number;
  /** When to try again; null if this was the last attempt. */
  readonly nextMs: number | null;
  /** If the receiver is slow or down: time until which the webhook's other deliveries wait, behind those of other webhooks. */
  readonly othersNextMs?: number;
}

export interface WebhookStore {
  create(webhook: Webhook, limit: number): Promise<'created' | 'limit'>;
  list(accountId: string): Promise<Webhook[]>;
  /** Deletes the webhook with its deliveries. */
  delete(accountId: string, webhookId: string): Promise<Webhook | null>;
  /**
   * Queues news that do not come from a job, for every webhook of the account that wants them. `subject` makes a repeated call
   * harmless.
   */
  announce(
    accountId: string,
    news: { event: WebhookEvent; subject: string; data: object },
    nowMs: number,
  ): Promise<void>;
  /** Returns the oldest webhook of each account, then the second one of each, and so on. */
  due(nowMs: number, limit: number): Promise<DueWebhook[]>;
  /**
   * Claims the webhook's oldest delivery: first those to be sent at once, then those due. No other node sends to this webhook
   * until the attempt has ended or `untilMs` has passed. null if nothing is due or another node has the claim.
   */
  claim(webhookId: string, nowMs: number, untilMs: number): Promise<Delivery | null>;
  /** Ends an attempt and the claim: the delivery is done, or waits for the next one. */
  ended(delivery: Delivery, outcome: AttemptOutcome): Promise<void>;
}
