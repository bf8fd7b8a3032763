// Finds who made a change, in the form that versions store.
import type { ChangedBy } from '../../domain/placement.ts';
import type { AccountStore } from '../../store/registry-store.ts';
import type { Caller } from '../route.ts';

export async function changedBy(accounts: Pick<AccountStore, 'listKeys'>, caller: Caller): Promise<ChangedBy> {
  const { accountId, keyId, person } = caller;
  if (person !== undefined) return { key_id: person.id, key_name: person.name, person_id: person.id };
  const key = (await accounts.listKeys(accountId)).find(({ key_id }) => key_id === keyId);
  return { key_id: keyId, key_name: key?.name ?? null };
}
