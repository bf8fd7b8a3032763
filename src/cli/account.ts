// `kindred account …`: accounts and their plans; keys are in account-keys.ts. Works on the store directly instead of over the
// API, so anyone who can read the database can use it, even while the service runs.
import { type Command, Option } from 'commander';
import { openAccount } from '../accounts.ts';
import type { Account, Plan } from '../domain/account.ts';
import { type AccountContext, accountName, findAccount, noteChange, runOnAccounts as run } from './account-context.ts';
import { registerAccountKeys } from './account-keys.ts';
import { decimalNumber, type Speaker, wholeNumber } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { addStoreOptions, type StoreFlags } from './store-command.ts';
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

  registerAccountKeys(account);
}

function addPlanOptions(command: Command, examples: string): Command {
  return addStoreOptions(command, examples)
    .option(
      '--max-event-shards <n>',
      'limit of num_shards summed over event datasets',
      wholeNumber('it', 0, 1_000_000_000),
    )
    .option('--max-training-hours <hours>', 'limit of hours of successful training jobs', decimalNumber(0))
    .option('--max-qps <n>', 'limit of qps per deployment', wholeNumber('it', 1, 1_000_000_000))
    .option(
      '--max-storage-bytes <n>',
      'limit of bytes of users, items and events',
      wholeNumber('it', 0, Number.MAX_SAFE_INTEGER),
    );
}

async function createAccount(
  name: string,
  flags: PlanFlags,
  { store, accounts, speaker }: AccountContext,
): Promise<void> {
  const opened = await openAccount(accounts, name, planOf(flags));
  if (!opened) throw new CommandError(`there is already an account "${name}"`, EXIT.REFUSED);
  const { account, credentials } = opened;
  const { account_id, plan } = account;
  await noteChange(store, { account_id, command: 'kindred account create', object_id: account_id });
  speaker.result({ account_id, name, plan, ...credentials }, () =>
    [
      `Account "${name}" (${account_id}) created. Copy its key and secret now, they are not shown again:`,
      `  KINDRED_API_KEY=${credentials.api_key}`,
      `  KINDRED_CLIENT_SECRET=${credentials.client_secret}`,
    ].join('\n'),
  );
}

const UPDATES = [
  'rename',
  'defaultProject',
  'disable',
  'enable',
  'maxEventShards',
  'maxTrainingHours',
  'maxQps',
  'maxStorageBytes',
] as const;

interface UpdateFlags extends PlanFlags {
  rename?: string;
  defaultProject?: string;
  disable?: boolean;
  enable?: boolean;
}

async function updateAccount(
  name: string,
  flags: UpdateFlags,
  { store, accounts, speaker }: AccountContext,
): Promise<void> {
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
  await noteChange(store, {
    account_id: account.account_id,
    command: 'kindred account update',
    object_id: account.account_id,
    summary: UPDATES.filter((flag) => flags[flag] !== undefined).join(', '),
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
