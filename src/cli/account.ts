// `kindred account …`: accounts, their plans and keys. Works on the store directly instead of over the API, so anyone who
// can read the database can use it, even while the service runs.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { openAccount } from '../accounts.ts';
import { OPERATIONS } from '../client/operations.ts';
import type { Account, Plan } from '../domain/account.ts';
import { newCredentials } from '../domain/credentials.ts';
import { EVERY_SCOPE, normalScopes, type Scopes } from '../domain/scopes.ts';
import type { AccountStore } from '../store/registry-store.ts';
import { type Speaker, wholeNumber } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { addStoreOptions, runStoreCommand, type StoreFlags } from './store-command.ts';
import { tableView } from './table-view.ts';

interface PlanFlags extends StoreFlags {
  maxEventShards?: number;
  maxTrainingHours?: number;
  maxQps?: number;
  maxStorageBytes?: number;
}

export function registerAccount(program: Command): void {
  const account = program.command('account').description('create, change and list accounts and their API keys');

  addPlanOptions(
    account.command('create').description('create an account and show its API key and secret once'),
    '  $ kindred account create shop\n  $ kindred account create shop --max-qps 200 --json',
  )
    .argument('<name>', 'name of the new account', accountName)
    .action((name: string, flags: PlanFlags) => run(flags, (context) => createAccount(name, flags, context)));

  addPlanOptions(
    account.command('update').description('change the plan or name of an account, or disable or enable it'),
    '  $ kindred account update shop --max-event-shards 500\n  $ kindred account update shop --disable',
  )
    .argument('<name>', 'name of the account')
    .option('--rename <new name>', 'new name', accountName)
    .option('--default-project <id>', 'the project used by recommendation calls without a project_id')
    .addOption(new Option('--disable', 'reject all calls of the account').conflicts('enable'))
    .option('--enable', 'accept its calls again')
    .action((name: string, flags: UpdateFlags) => run(flags, (context) => updateAccount(name, flags, context)));

  addStoreOptions(
    account.command('list').description('list all accounts'),
    '  $ kindred account list\n  $ kindred account list --json',
  ).action((flags: StoreFlags) => run(flags, listAccounts));

  addStoreOptions(
    account.command('keys').description('list the API keys of an account, create or disable one'),
    "  $ kindred account keys shop\n  $ kindred account keys shop --create 'web shop' --scopes /recommend-items-to-user\n  $ kindred account keys shop --disable key_…",
  )
    .argument('<name>', 'name of the account')
    .addOption(
      new Option('--create <key name>', 'create a key and show it and its secret once')
        .conflicts('disable')
        .argParser(accountName),
    )
    .addOption(
      new Option('--scopes <paths>', 'operations the new key may call: paths separated by commas (default: all)')
        .conflicts('disable')
        .argParser(scopeList),
    )
    .option('--disable <key id>', 'disable a key')
    .action((name: string, flags: KeyFlags) => run(flags, (context) => accountKeys(name, flags, context)));
}

function addPlanOptions(command: Command, examples: string): Command {
  return addStoreOptions(command, examples)
    .option(
      '--max-event-shards <n>',
      'limit of num_shards summed over event datasets',
      wholeNumber('it', 0, 1_000_000_000),
    )
    .option('--max-training-hours <hours>', 'limit of hours of successful training jobs', positiveNumber)
    .option('--max-qps <n>', 'limit of qps per deployment', wholeNumber('it', 1, 1_000_000_000))
    .option(
      '--max-storage-bytes <n>',
      'limit of bytes of users, items and events',
      wholeNumber('it', 0, Number.MAX_SAFE_INTEGER),
    );
}

interface AccountContext {
  accounts: AccountStore;
  speaker: Speaker;
}

function run(flags: StoreFlags, work: (context: AccountContext) => Promise<void>): Promise<void> {
  return runStoreCommand(flags, async (config, speaker) => {
    // Imported here, so that other commands start without loading the whole service.
    const { withStore } = await import('../compose.ts');
    await withStore(config, ({ accounts }) => work({ accounts, speaker }));
  });
}

async function createAccount(name: string, flags: PlanFlags, { accounts, speaker }: AccountContext): Promise<void> {
  const opened = await openAccount(accounts, name, planOf(flags));
  if (!opened) throw new CommandError(`there is already an account "${name}"`, EXIT.REFUSED);
  const { account, credentials } = opened;
  const { account_id, plan } = account;
  speaker.result({ account_id, name, plan, ...credentials }, () =>
    [
      `Account "${name}" (${account_id}) is open. Its key and secret are shown only now:`,
      `  KINDRED_API_KEY=${credentials.api_key}`,
      `  KINDRED_CLIENT_SECRET=${credentials.client_secret}`,
    ].join('\n'),
  );
}

interface UpdateFlags extends PlanFlags {
  rename?: string;
  defaultProject?: string;
  disable?: boolean;
  enable?: boolean;
}

async function updateAccount(name: string, flags: UpdateFlags, { accounts, speaker }: AccountContext): Promise<void> {
  const account = await findAccount(accounts, name);
  if (flags.rename && (await accounts.findByName(flags.rename))) {
    throw new CommandError(`there is already an account "${flags.rename}"`, EXIT.REFUSED);
  }
  if (
    flags.defaultProject &&
    (await accounts.chooseDefaultProject(account.account_id, flags.defaultProject)) === null
  ) {
    throw new CommandError(`Project ${flags.defaultProject} was not found in this account.`, EXIT.REFUSED);
  }
  const changed = await accounts.update(account.account_id, {
    name: flags.rename,
    plan: planOf(flags),
    disabled: flags.disable ? true : flags.enable ? false : undefined,
  });
  speaker.result(changed, () => accountsTable([changed!], speaker));
}

async function listAccounts({ accounts, speaker }: AccountContext): Promise<void> {
  const all: Account[] = [];
  let page_token: string | null = null;
  do {
    const page = await accounts.list({ page_size: 1000, page_token });
    all.push(...page.entries);
    page_token = page.next_page_token;
  } while (page_token !== null);
  speaker.result({ accounts: all }, () => (all.length === 0 ? 'No accounts yet.' : accountsTable(all, speaker)));
}

interface KeyFlags extends StoreFlags {
  create?: string;
  scopes?: string[];
  disable?: string;
}

async function accountKeys(name: string, flags: KeyFlags, { accounts, speaker }: AccountContext): Promise<void> {
  const { account_id } = await findAccount(accounts, name);
  if (flags.create !== undefined) {
    const { credentials, key } = newCredentials(account_id, flags.create, flags.scopes ?? [EVERY_SCOPE]);
    await accounts.addKey(key);
    speaker.result({ key_id: key.key_id, name: key.name, scopes: key.scopes, ...credentials }, () =>
      [
        `Key ${key.key_id}. Copy it now, it is not shown again:`,
        `  KINDRED_API_KEY=${credentials.api_key}`,
        `  KINDRED_CLIENT_SECRET=${credentials.client_secret}`,
      ].join('\n'),
    );
    return;
  }
  if (flags.disable !== undefined) {
    const outcome = await accounts.setKeyDisabled(account_id, flags.disable, true);
    if (outcome === null) throw new CommandError(`account "${name}" has no key ${flags.disable}`, EXIT.REFUSED);
    if (outcome === 'last-key') {
      throw new CommandError(`this is the last key of "${name}" that works; create another one first`, EXIT.REFUSED);
    }
  }
  const keys = (await accounts.listKeys(account_id)).map(
    ({ key_id, name: label, hint, scopes, disabled, created_ts }) => ({
      key_id,
      name: label,
      hint,
      scopes,
      disabled,
      created_ts,
    }),
  );
  speaker.result({ api_keys: keys }, () =>
    tableView(
      keys,
      [
        { title: 'key', of: (key) => key.key_id, whole: true },
        { title: 'name', of: (key) => key.name },
        { title: 'starts with', of: (key) => key.hint },
        { title: 'scopes', of: (key) => scopesInWords(key.scopes) },
        { title: 'state', of: (key) => (key.disabled ? 'disabled' : 'active') },
        { title: 'created', of: (key) => new Date(key.created_ts).toISOString() },
      ],
      speaker.width,
      speaker.style,
    ),
  );
}

async function findAccount(accounts: AccountStore, name: string): Promise<Account> {
  const account = (await accounts.findByName(name)) ?? (await accounts.get(name));
  if (!account) throw new CommandError(`there is no account "${name}"; see kindred account list`, EXIT.REFUSED);
  return account;
}

function accountsTable(accounts: readonly Account[], { width, style }: Speaker): string {
  return tableView(
    accounts,
    [
      { title: 'account', of: (account) => account.account_id, whole: true },
      { title: 'name', of: (account) => account.name },
      { title: 'state', of: (account) => (account.disabled ? 'disabled' : 'active') },
      { title: 'event shards', of: (account) => account.plan.max_event_shards, align: 'right' },
      { title: 'training hours', of: (account) => account.plan.max_training_hours, align: 'right' },
      { title: 'qps', of: (account) => account.plan.max_qps, align: 'right' },
      {
        title: 'storage (GiB)',
        of: (account) => (account.plan.max_storage_bytes / 2 ** 30).toFixed(1),
        align: 'right',
      },
    ],
    width,
    style,
  );
}

function planOf({ maxEventShards, maxTrainingHours, maxQps, maxStorageBytes }: PlanFlags): Partial<Plan> {
  return {
    ...(maxEventShards !== undefined && { max_event_shards: maxEventShards }),
    ...(maxTrainingHours !== undefined && { max_training_hours: maxTrainingHours }),
    ...(maxQps !== undefined && { max_qps: maxQps }),
    ...(maxStorageBytes !== undefined && { max_storage_bytes: maxStorageBytes }),
  };
}

function scopesInWords(scopes: Scopes): string {
  if (scopes.includes(EVERY_SCOPE)) return 'all';
  return scopes.length === 1 ? scopes[0] : `${scopes.length} operations`;
}

function scopeList(text: string): string[] {
  const scopes = text.split(/[\s,]+/).filter(Boolean);
  const unknown = scopes.find((scope) => scope !== EVERY_SCOPE && !Object.hasOwn(OPERATIONS, scope));
  if (scopes.length === 0 || unknown !== undefined) {
    throw new InvalidArgumentError(
      `${unknown ?? 'It'} is not an operation's path. Use paths such as /recommend-items-to-user, separated by commas, or *.`,
    );
  }
  return [...normalScopes(scopes)];
}

function accountName(text: string): string {
  if (!/^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,128}$/u.test(text)) {
    throw new InvalidArgumentError('A name must have 1 to 128 characters and no control characters.');
  }
  return text;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError('It must be a number, 0 or more.');
  }
  return value;
}
