// A webhook: where the service tells what happened. Who receives it checks the signature (see docs/webhooks.md).

export const WEBHOOK_EVENTS = [
  'job.failed',
  'model.trained',
  'model.deployed',
  'model.rejected',
  'experiment.decided',
  'data.warning',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const MAX_WEBHOOKS = 20;
export const MAX_WEBHOOK_URL_LENGTH = 2048;

export interface Webhook {
  account_id: string;
  webhook_id: string;
  url: string;
  events: WebhookEvent[];
  created_ts: number;
  /** The newest attempt; null before the first. */
  last_attempt: { ts: number; succeeded: boolean; message: string } | null;
}

export const PRIVATE_ADDRESS = 'is a private address. The operator can allow them with KINDRED_PRIVATE_WEBHOOKS=true';

/** A name of the own machine, whatever a DNS server says. */
export function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host);
}

/** Says what is wrong with a webhook's URL; null if it is valid. Its address is checked at each delivery. */
export function webhookUrlProblem(text: string, allowsPrivate: boolean): string | null {
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || (allowsPrivate && url.protocol === 'http:');
  if (!isWeb) return 'must begin with https://';
  if (!allowsPrivate && isLocalName(url.hostname)) return PRIVATE_ADDRESS;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment (#)';
  return null;
}
