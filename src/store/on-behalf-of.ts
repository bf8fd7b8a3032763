// For which account the store works: what accounts share (connections, threads, queues) is shared by turns, and whoever asks the
// store is found here instead of being handed through every call. Work of the service itself is for no account.
import { AsyncLocalStorage } from 'node:async_hooks';

const accounts = new AsyncLocalStorage<string | null>();

export function onBehalfOf<T>(accountId: string, work: () => T): T {
  return accounts.run(accountId, work);
}

/**
 * For work that all accounts share and a call of one of them starts: others must not wait in that account's queue. Only work that
 * runs once at a time, because no limit holds for it.
 */
export function asService<T>(work: () => T): T {
  return accounts.run(null, work);
}

export function currentAccount(): string | null {
  return accounts.getStore() ?? null;
}
