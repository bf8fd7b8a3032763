// What the secrets of all webhooks follow from, the same on every node.
import { newSecret } from '../../base/system.ts';
import type { AccountStore } from '../../store/registry-store.ts';

export function webhookServiceSecret(accounts: Pick<AccountStore, 'sharedSecret'>): Promise<string> {
  return accounts.sharedSecret('webhooks', () => newSecret(32));
}
