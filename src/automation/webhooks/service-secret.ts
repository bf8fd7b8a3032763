// What the secrets of all webhooks follow from, the same on every node.
import { randomBytes } from 'node:crypto';
import type { AccountStore } from '../../store/registry-store.ts';

export function webhookServiceSecret(accounts: Pick<AccountStore, 'sharedSecret'>): Promise<string> {
  return accounts.sharedSecret('webhooks', () => randomBytes(32).toString('base64url'));
}
