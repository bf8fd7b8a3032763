// Tells webhooks of events that were stored but look like mistakes. A dataset with a problem warns with every batch, so a node
// tells each kind of warning once per dataset and hour. What another node told has the same id: it is not queued again while it waits,
// but after it was sent.
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { HOUR_MS } from '../../base/durations.ts';
import type { Logger } from '../../observability/logger.ts';
import type { WebhookStore } from '../../store/webhook-store.ts';

export interface DataWarning {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

const CACHE_BYTES = 1024 * 1024;

export class DataWarnings {
  readonly #webhooks: Pick<WebhookStore, 'announce'>;
  readonly #log: Logger;
  /** warnings that this node has announced, so that it asks the database once for each */
  readonly #told = new BoundedCache<string, true>({
    name: 'data_warnings',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, key) => textBytes(key),
  });

  constructor(webhooks: Pick<WebhookStore, 'announce'>, log: Logger) {
    this.#webhooks = webhooks;
    this.#log = log;
  }

  /** Returns at once: no upsert waits for a webhook. */
  tell(accountId: string, datasetId: string, warnings: readonly DataWarning[], nowMs: number): void {
    for (const code of new Set(warnings.map((warning) => warning.code))) {
      const subject = `${datasetId}.${code}.${Math.floor(nowMs / HOUR_MS)}`;
      if (this.#told.get(subject)) continue;
      this.#told.set(subject, true);
      const own = warnings.filter((warning) => warning.code === code);
      const [{ id, message }] = own;
      const data = {
        event_dataset_id: datasetId,
        code,
        events_in_batch: own.length,
        example: { event_id: id, message },
      };
      this.#webhooks.announce(accountId, { event: 'data.warning', subject, data }, nowMs).catch((error) => {
        this.#told.delete(subject);
        this.#log.warn({ err: error }, 'could not queue a data warning');
      });
    }
  }
}
