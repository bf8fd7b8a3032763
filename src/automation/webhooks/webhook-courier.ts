// Sends deliveries while the service runs. Every API node has a courier; a claim keeps a webhook with one of them. A receiver
// that is slow or down holds one of its account's few places for one turn. Then the account with the fewest places is next; among equals
// the one that got its last place longest ago.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { type Runtime, systemRuntime } from '../../base/runtime.ts';
import type { Logger } from '../../observability/logger.ts';
import { AT_ONCE, type Delivery, type DueWebhook, type WebhookStore } from '../../store/webhook-store.ts';
import { RepeatedLook } from '../repeated-look.ts';
import { postDelivery } from './post-delivery.ts';
import { SIGNATURE_HEADER, signDelivery, webhookSecret } from './signature.ts';

export interface CourierParts {
  webhooks: WebhookStore;
  log: Logger;
  /** the secret from which the webhooks' secrets are derived */
  secret: string;
  allowsPrivate: boolean;
  runtime?: Runtime;
  /** used by tests */
  post?: typeof postDelivery;
  pollMs?: number;
  firstRetryMs?: number;
}

const POLL_MS = 1000;
const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 6 * HOUR_MS;
/** These attempts spread over about a day and a half. */
export const MAX_ATTEMPTS = 12;
/** A courier that dies leaves its deliveries to others after this time; no attempt takes as long. */
const CLAIM_MS = 60_000;
const PLACES = 16;
const PLACES_PER_ACCOUNT = 4;
/** A webhook that still has deliveries due gives its place back after this time. */
const TURN_MS = 10_000;
const MAX_DUE = 500;
/** Enough for thousands of accounts and webhooks. A forgotten one counts as one that never had a place. */
const LAST_PLACES_BYTES = 1024 * 1024;

export class WebhookCourier {
  readonly #parts: CourierParts;
  readonly #runtime: Runtime;
  /** webhook → account: what is being sent, at most one delivery per webhook */
  readonly #busy = new Map<string, string>();
  /** by account and by webhook, the number of its last place; places are numbered in order */
  readonly #lastPlaces = new BoundedCache<string, number>({
    name: 'webhook_places',
    maxBytes: LAST_PLACES_BYTES,
    bytesOf: (_, id) => textBytes(id),
  });
  #placesGiven = 0;
  readonly #sending = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #looks: RepeatedLook;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime ?? systemRuntime;
    this.#looks = new RepeatedLook({
      look: () => this.#fillPlaces(),
      runtime: this.#runtime,
      pauseMs: parts.pollMs ?? POLL_MS,
      onError: (error) => parts.log.warn({ err: error }, 'could not read due webhook deliveries'),
    });
  }

  start(): void {
    this.#looks.start();
  }

  /** Ends attempts under way; their deliveries are sent by another node, or after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looks.stop();
    await Promise.all(this.#sending);
  }

  /** Webhooks of the accounts that hold the fewest places come first, among them those that have waited longest for one. */
  async #fillPlaces(): Promise<void> {
    if (this.#busy.size >= PLACES) return;
    const due = await this.#parts.webhooks.due(this.#runtime.nowMs(), MAX_DUE);
    const last = (id: string): number => this.#lastPlaces.peek(id) ?? 0;
    due.sort((a, b) => last(a.accountId) - last(b.accountId) || last(a.webhookId) - last(b.webhookId));
    for (let held = 0; held < PLACES_PER_ACCOUNT; held++) {
      for (const webhook of due) {
        if (this.#busy.size >= PLACES) return;
        if (!this.#busy.has(webhook.webhookId) && this.#placesOf(webhook.accountId) === held) this.#begin(webhook);
      }
    }
  }

  #placesOf(accountId: string): number {
    return [...this.#busy.values()].filter((account) => account === accountId).length;
  }

  #begin({ accountId, webhookId }: DueWebhook): void {
    this.#busy.set(webhookId, accountId);
    this.#placesGiven++;
    for (const id of [accountId, webhookId]) this.#lastPlaces.set(id, this.#placesGiven);
    const sending = this.#sendAll(webhookId)
      .catch((error) => this.#parts.log.warn({ err: error, webhook_id: webhookId }, 'could not record a delivery'))
      .finally(() => {
        this.#busy.delete(webhookId);
        this.#sending.delete(sending);
      });
    this.#sending.add(sending);
  }

  /** Sends deliveries one after the other, in order, until none is due, one fails or the turn is over. */
  async #sendAll(webhookId: string): Promise<void> {
    const endMs = this.#runtime.monotonicMs() + TURN_MS;
    while (!this.#stopping.signal.aborted && this.#runtime.monotonicMs() < endMs) {
      const nowMs = this.#runtime.nowMs();
      const delivery = await this.#parts.webhooks.claim(webhookId, nowMs, nowMs + CLAIM_MS);
      if (delivery === null || !(await this.#send(delivery))) return;
    }
  }

  async #send(delivery: Delivery): Promise<boolean> {
    const { webhooks, allowsPrivate, secret, post = postDelivery, firstRetryMs = FIRST_RETRY_MS } = this.#parts;
    const { webhook, attempts } = delivery;
    const body = bodyOf(delivery);
    const { signal } = this.#stopping;
    let succeeded = false;
    let isSilent = false;
    let message: string;
    try {
      const signature = signDelivery(webhookSecret(secret, webhook.webhook_id), body, this.#runtime.nowMs());
      const headers = { [SIGNATURE_HEADER]: signature };
      const status = await post({ url: webhook.url, body, headers, allowsPrivate, signal });
      succeeded = status >= 200 && status < 300;
      message = `The receiver responded ${status}.${status >= 300 && status < 400 ? ' Redirects are not followed.' : ''}`;
    } catch (error) {
      isSilent = !signal.aborted;
      message = (error as Error).message;
    }
    const nowMs = this.#runtime.nowMs();
    const isOver = succeeded || attempts >= MAX_ATTEMPTS;
    // Stopped in the middle: it counts as an attempt, and another node may take it at once.
    const againMs = signal.aborted ? AT_ONCE : nowMs + Math.min(firstRetryMs * 4 ** (attempts - 1), LONGEST_RETRY_MS);
    const othersNextMs = isSilent ? nowMs + firstRetryMs : undefined;
    await webhooks.ended(delivery, { succeeded, message, nowMs, nextMs: isOver ? null : againMs, othersNextMs });
    return succeeded;
  }
}

function bodyOf({ deliveryId, event, createdMs, data }: Delivery): string {
  return JSON.stringify({ id: deliveryId, event, created_ts: createdMs, data });
}
