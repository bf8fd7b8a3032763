// Signs deliveries, so that a receiver knows that a delivery comes from this service, is unchanged and is new:
//
//   Kindred-Signature: t=SECONDS,v1=HEX    HEX = HMAC-SHA256(secret, "SECONDS.BODY")
//
// Secrets are not stored: each follows from a secret of the service and the webhook's id.
import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'kindred-signature';

export function webhookSecret(serviceSecret: string, webhookId: string): string {
  return `whsec_${createHmac('sha256', serviceSecret).update(webhookId).digest('base64url')}`;
}

export function signDelivery(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
