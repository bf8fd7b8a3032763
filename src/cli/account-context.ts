// What the `kindred account …` commands share: the accounts of the store, and how one is named.
import { InvalidArgumentError } from 'commander';
import type { Account } from '../domain/account.ts';
import type { AccountStore } from '../store/registry-store.ts';
import type { Store } from '../store/store.ts';
import type { Speaker } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { runStoreCommand, type StoreFlags } from './store-command.ts';

export interface AccountContext {
  store: Store;
  accounts: AccountStore;
  speaker: Speaker;
}

export function runOnAccounts(flags: StoreFlags, work: (context: AccountContext) => Promise<void>): Promise<void> {
  return runStoreCommand(flags, async (config, speaker) => {
    // Imported here, so that other commands start without loading the whole service.
    const { withStore } = await import('../compose.ts');
    await withStore(config, (store) => work({ store, accounts: store.accounts, speaker }));
  });
}

export async function findAccount(accounts: AccountStore, name: string): Promise<Account> {
  const account = (await accounts.findByName(name)) ?? (await accounts.get(name));
  if (!account) throw new CommandError(`there is no account "${name}"; see kindred account list`, EXIT.REFUSED);
  return account;
}

export function accountName(text: string): string {
  if (!/^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,128}$/u.test(text)) {
    throw new InvalidArgumentError('A name must have 1 to 128 characters and no control characters.');
  }
  return text;
}
