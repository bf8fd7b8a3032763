// The parts that the `kindred account …` commands share: the accounts of the store, and finding one by name or id.
import { InvalidArgumentError } from 'commander';
import { systemRuntime } from '../base/runtime.ts';
import type { Account } from '../domain/account.ts';
import { ownEntry } from '../domain/audit-entry.ts';
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
    // Imported here, so that usage errors and --help do not wait for it.
    const { openStore } = await import('../store/open-store.ts');
    const store = await openStore(config);
    try {
      await work({ store, accounts: store.accounts, speaker });
    } finally {
      await store.close();
    }
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

export interface OperatorChange {
  account_id: string;
  /** The command as typed, without the values of its options. */
  command: string;
  object_id: string;
  summary?: string;
}

/** Records the change in the account's audit log, next to the changes made with its keys. */
export function noteChange({ audit }: Store, { account_id, command, object_id, summary = '' }: OperatorChange) {
  const actor = { actor_kind: 'operator', actor_id: 'command line' } as const;
  return audit.append([ownEntry({ account_id, ...actor, operation: command, object_id, summary }, systemRuntime)]);
}
