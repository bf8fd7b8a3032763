// For which account the store works: what accounts share (connections, threads, queues) is shared by turns, and whoever asks the
// store is found here instead of being handed through every call. Work of the service itself is for no account.
import { AsyncLocalStorage } from 'node:async_hooks';

const accounts = new AsyncLocalStorage<string | null>();

export function onBehalfOf<T>(accountId: string, work: () => T): T {
  return accounts.run(accountId, work);
}

/**
 * Runs work that all accounts share but a request of one account starts, so that others need not wait in that account's
 * queue. No limit applies to it, so use it only for work that runs once at a time.
 */
export function asService<T>(work: () => T): T {
  return accounts.run(null, work);
}

export function currentAccount(): string | null {
  return accounts.getStore() ?? null;
}
