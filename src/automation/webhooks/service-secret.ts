// The secret from which the secrets of all webhooks are derived. It is equal on every node.
import { newSecret } from '../../base/system.ts';
import type { AccountStore } from '../../store/registry-store.ts';

export function webhookServiceSecret(accounts: Pick<AccountStore, 'sharedSecret'>): Promise<string> {
  return accounts.sharedSecret('webhooks', () => newSecret(32));
}
