// `kindred account keys NAME`: lists an account's API keys, creates, rotates and disables them, directly on the store.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemRuntime } from '../base/runtime.ts';
import { type ApiKey, hasExpired } from '../domain/account.ts';
import { GRACE_HOURS, newBrowserKey, newCredentials, newRotation } from '../domain/credentials.ts';
import { summaryOf } from '../domain/describe-call.ts';
import { keyAccess } from '../domain/key-access.ts';
import { originProblem } from '../domain/origin.ts';
import type { Project } from '../domain/project.ts';
import { EVERY_SCOPE } from '../domain/scopes.ts';
import { type AccountContext, accountName, findAccount, noteChange, runOnAccounts } from './account-context.ts';
import { decimalNumber, type Speaker } from './command.ts';
import { CommandError, EXIT, UsageError } from './exit-codes.ts';
import { findProject } from './project-choice.ts';
import { scopeList } from './scope-list.ts';
import { addStoreOptions, type StoreFlags } from './store-command.ts';
import { tableView } from './table-view.ts';

interface KeyFlags extends StoreFlags {
  create?: string;
  scopes?: string[];
  expires?: number;
  browser?: string[];
  project?: string;
  rotate?: string;
  graceHours: number;
  disable?: string;
}

const EXAMPLES = `  $ kindred account keys shop
  $ kindred account keys shop --create 'web shop' --scopes /recommend-items-to-user --expires 2027-06-30
  $ kindred account keys shop --create pages --browser https://shop.example --project web
  $ kindred account keys shop --rotate key_… --grace-hours 48
  $ kindred account keys shop --disable key_…`;

/** Records the new key in the account's audit log. */
function noteCreation(store: AccountContext['store'], key: ApiKey): Promise<unknown> {
  const { account_id, key_id, name, kind, scopes, origins, project_id, expires_ts } = key;
  const summary = summaryOf({
    name,
    kind,
    scopes,
    ...(kind === 'browser' && { origins, project_id }),
    ...(expires_ts !== null && { expires_ts }),
  });
  return noteChange(store, { account_id, command: 'kindred account keys --create', object_id: key_id, summary });
}

export function registerAccountKeys(account: Command): void {
  const command = account.command('keys').description('list the API keys of an account; create, rotate or disable one');
  addStoreOptions(command, EXAMPLES)
    .argument('<name>', 'name of the account')
    .addOption(
      new Option('--create <key name>', 'create a key and show it and its secret once')
        .conflicts(['disable', 'rotate'])
        .argParser(accountName),
    )
    .option('--scopes <paths>', 'operations the new key may call: paths separated by commas (default: all)', scopeList)
    .option('--expires <time>', 'when the new key stops working, such as 2027-06-30', futureTime)
    .option(
      '--browser <origins>',
      'a key for web pages of these origins, separated by commas; has no secret',
      originList,
    )
    .option('--project <id or name>', 'the project of a browser key')
    .addOption(new Option('--rotate <key id>', 'give a key a new secret and show it once').conflicts('disable'))
    .option(
      '--grace-hours <hours>',
      'how long the old secret still works',
      decimalNumber(0, GRACE_HOURS.max),
      GRACE_HOURS.byDefault,
    )
    .option('--disable <key id>', 'disable a key')
    .action((name: string, flags: KeyFlags) => runOnAccounts(flags, (context) => accountKeys(name, flags, context)));
}

async function accountKeys(name: string, flags: KeyFlags, context: AccountContext): Promise<void> {
  const { accounts, speaker } = context;
  const { account_id } = await findAccount(accounts, name);
  const forCreate = ['scopes', 'expires', 'browser', 'project'] as const;
  const idle = forCreate.find((flag) => flags[flag] !== undefined);
  if (flags.create === undefined && idle) throw new UsageError(`--${idle} is for --create`);
  if (flags.create !== undefined) return createKey(account_id, flags.create, flags, context);
  if (flags.rotate !== undefined) return rotateKey(account_id, flags.rotate, flags, context);
  if (flags.disable !== undefined) {
    const outcome = await accounts.setKeyDisabled(account_id, flags.disable, true);
    if (outcome === null) throw new CommandError(`account "${name}" has no key ${flags.disable}`, EXIT.REFUSED);
    if (outcome === 'last-key') {
      throw new CommandError(
        `this is the last active key of "${name}" with these permissions. Create another one first`,
        EXIT.REFUSED,
      );
    }
    await noteChange(context.store, {
      account_id,
      command: 'kindred account keys --disable',
      object_id: flags.disable,
    });
  }
  const keys = (await accounts.listKeys(account_id)).map(shownFields);
  speaker.result({ api_keys: keys }, () => keysTable(keys, speaker));
}

async function createKey(
  accountId: string,
  name: string,
  { scopes = [EVERY_SCOPE], expires, browser, project }: KeyFlags,
  { store, accounts, speaker }: AccountContext,
): Promise<void> {
  const made = { name, scopes, expires_ts: expires ?? null };
  if (browser === undefined) {
    if (project !== undefined) throw new UsageError('--project is for browser keys: add --browser ORIGINS');
    const { credentials, key } = newCredentials(accountId, made, systemRuntime);
    await accounts.addKey(key);
    await noteCreation(store, key);
    return speaker.result({ ...shownFields(key), ...credentials }, () =>
      [
        `Key ${key.key_id}. Copy it now, it is not shown again:`,
        `  KINDRED_API_KEY=${credentials.api_key}`,
        `  KINDRED_CLIENT_SECRET=${credentials.client_secret}`,
      ].join('\n'),
    );
  }
  if (project === undefined) throw new UsageError('a browser key is for one project: add --project');
  const found = await findProject(projectsOf(store, accountId), project);
  if (found === null) throw new CommandError(`the account has no project ${project}`, EXIT.REFUSED);
  const key = newBrowserKey(accountId, { ...made, origins: browser, project_id: found.project_id }, systemRuntime);
  await accounts.addKey(key);
  await noteCreation(store, key);
  speaker.result({ ...shownFields(key), api_key: key.key_id }, () => `Browser key for your pages: ${key.key_id}`);
}

async function* projectsOf({ projects }: AccountContext['store'], accountId: string): AsyncGenerator<Project> {
  const pageAt = (page_token: string | null) => projects.list(accountId, { page_size: 1000, page_token });
  let page = await pageAt(null);
  yield* page.entries;
  while (page.next_page_token !== null) {
    page = await pageAt(page.next_page_token);
    yield* page.entries;
  }
}

async function rotateKey(
  accountId: string,
  keyId: string,
  { graceHours: hours }: KeyFlags,
  { store, accounts, speaker }: AccountContext,
): Promise<void> {
  const { client_secret, rotation } = newRotation(hours, Date.now());
  const key = await accounts.rotateKey(accountId, keyId, rotation);
  if (key === null) throw new CommandError(`the account has no working key with a secret ${keyId}`, EXIT.REFUSED);
  await noteChange(store, { account_id: accountId, command: 'kindred account keys --rotate', object_id: keyId });
  speaker.result({ ...shownFields(key), client_secret }, () =>
    [
      `New secret of key ${keyId}. Copy it now, it is not shown again. The old one works until ${timeText(rotation.previous_until_ts)}:`,
      `  KINDRED_CLIENT_SECRET=${client_secret}`,
    ].join('\n'),
  );
}

function shownFields(key: ApiKey) {
  const { key_id, name, kind, hint, scopes, origins, project_id, expires_ts, rotated_ts, disabled, created_ts } = key;
  return { key_id, name, kind, hint, scopes, origins, project_id, expires_ts, rotated_ts, disabled, created_ts };
}

function keysTable(keys: ReturnType<typeof shownFields>[], { width, style }: Speaker): string {
  return tableView(
    keys,
    [
      { title: 'key', of: (key) => key.key_id, whole: true },
      { title: 'name', of: (key) => key.name },
      { title: 'kind', of: (key) => key.kind },
      { title: 'starts with', of: (key) => key.hint },
      { title: 'scopes', of: (key) => keyAccess(key) },
      { title: 'state', of: (key) => (key.disabled ? 'disabled' : hasExpired(key, Date.now()) ? 'expired' : 'active') },
      { title: 'created', of: (key) => timeText(key.created_ts) },
      { title: 'rotated', of: (key) => (key.rotated_ts === null ? '' : timeText(key.rotated_ts)) },
      { title: 'expires', of: (key) => (key.expires_ts === null ? 'never' : timeText(key.expires_ts)) },
    ],
    width,
    style,
  );
}

const timeText = (ms: number): string => new Date(ms).toISOString();

function originList(text: string): string[] {
  const origins = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  for (const origin of origins.length > 0 ? origins : ['']) {
    const problem = originProblem(origin);
    if (problem !== null) throw new InvalidArgumentError(`${origin} ${problem}.`);
  }
  return origins;
}

function futureTime(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || ms <= Date.now()) throw new InvalidArgumentError('It must be a date in the future.');
  return ms;
}
