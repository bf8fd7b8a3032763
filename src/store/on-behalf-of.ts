// For which account the store works: what accounts share (connections, threads, queues) is shared by turns, and whoever asks the
// store is found here instead of being handed through every call. Work of the service itself is for no account.
import { AsyncLocalStorage } from 'node:async_hooks';

const accounts = new AsyncLocalStorage<string>();

export function onBehalfOf<T>(accountId: string, work: () => T): T {
  return accounts.run(accountId, work);
}

export function currentAccount(): string | null {
  return accounts.getStore() ?? null;
}
