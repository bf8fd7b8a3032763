// Creates accounts: the account `default` at the first start, others by `kindred account create`.
import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Runtime, systemRuntime } from './base/runtime.ts';
import { syncFile } from './base/sync-file.ts';
import { uniqueName } from './base/system.ts';
import { type Account, DEFAULT_PLAN, hasExpired, type Plan } from './domain/account.ts';
import { type Credentials, hashSecret, matchingSecret, newCredentials } from './domain/credentials.ts';
import { type IdSource, newId } from './domain/ids.ts';
import { EVERY_SCOPE } from './domain/scopes.ts';
import type { AccountStore } from './store/registry-store.ts';

const DEFAULT_ACCOUNT = 'default';
export const CREDENTIALS_FILE = 'credentials.json';
/** Credentials of an account about to be created. If several processes start at once, the store decides which one creates it. */
const DRAFT_PREFIX = 'first-credentials.';

export interface CredentialsFile extends Credentials {
  base_url: string;
}

/** Creates an account with its first key; null if the name is taken. */
export async function openAccount(
  accounts: AccountStore,
  name: string,
  plan: Partial<Plan> = {},
  made = newCredentialsFor(systemRuntime),
): Promise<{ account: Account; credentials: Credentials } | null> {
  const account: Account = {
    account_id: made.accountId,
    name,
    plan: { ...DEFAULT_PLAN, ...plan },
    disabled: false,
    created_ts: made.key.created_ts,
    training_hours: 0,
    default_project_id: null,
  };
  const outcome = await accounts.create(account, made.key);
  return outcome === 'created' ? { account, credentials: made.credentials } : null;
}

function newCredentialsFor(source: IdSource) {
  const accountId = newId('account', source);
  return { accountId, ...newCredentials(accountId, { name: 'first key', scopes: [EVERY_SCOPE] }, source) };
}

/**
 * Creates the account `default` if there is no account yet, and writes its credentials to the data folder. A draft is written
 * first, so that a crash in between cannot leave an account whose secret is lost; the next start publishes the draft.
 * Returns whether credentials were published.
 */
export async function ensureFirstAccount(
  accounts: AccountStore,
  dataDir: string,
  baseUrl: string,
  runtime: Runtime = systemRuntime,
): Promise<boolean> {
  const { entries } = await accounts.list({ page_size: 1, page_token: null });
  if (entries.length > 0) return publishDrafts(accounts, dataDir);
  const made = newCredentialsFor(runtime);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${DRAFT_PREFIX}${uniqueName(4)}`;
  await writePrivately(join(dataDir, draft), { base_url: baseUrl, ...made.credentials });
  await syncFile(dataDir);
  const opened = await openAccount(accounts, DEFAULT_ACCOUNT, {}, made);
  const published = await publishDrafts(accounts, dataDir);
  return opened !== null || published;
}

/** The first process publishes the draft whose key exists, even another process's draft, and removes the other drafts. */
async function publishDrafts(accounts: AccountStore, dataDir: string): Promise<boolean> {
  const names = await readdir(dataDir).catch(() => []);
  const drafts = names.filter((name) => name.startsWith(DRAFT_PREFIX));
  if (drafts.length === 0) return false;
  // Read before the keys: once the name is taken, a draft with an unknown key will never be used.
  const isDecided = (await accounts.findByName(DEFAULT_ACCOUNT)) !== null;
  let published = false;
  for (const draft of drafts) {
    const path = join(dataDir, draft);
    const credentials = await readCredentials(path);
    const key = credentials && (await accounts.findKey(hashSecret(credentials.api_key)));
    if (key) published = (await renameIfThere(path, join(dataDir, CREDENTIALS_FILE))) || published;
    else if (isDecided) await rm(path, { force: true });
  }
  return published;
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

/** The credentials in the data folder if they are still valid, else null. */
export async function currentCredentials(
  accounts: AccountStore,
  dataDir: string,
  nowMs: number,
): Promise<CredentialsFile | null> {
  const kept = await readCredentials(join(dataDir, CREDENTIALS_FILE));
  if (!kept) return null;
  const key = await accounts.findKey(hashSecret(kept.api_key));
  if (!key || key.disabled || key.account_disabled || hasExpired(key, nowMs)) return null;
  return matchingSecret(key, kept.client_secret, nowMs) === null ? null : kept;
}

/** Updates the address stored with the credentials. Called only once the service listens there. */
export async function tellAddress(dataDir: string, credentials: CredentialsFile, baseUrl: string): Promise<void> {
  if (credentials.base_url !== baseUrl) await writeCredentials(dataDir, { ...credentials, base_url: baseUrl });
}

async function readCredentials(path: string): Promise<CredentialsFile | null> {
  try {
    const { base_url, api_key, client_secret } = JSON.parse(await readFile(path, 'utf8'));
    return typeof api_key === 'string' && typeof client_secret === 'string'
      ? { base_url, api_key, client_secret }
      : null;
  } catch {
    return null;
  }
}

/** Writes the file atomically and durably. */
async function writeCredentials(dataDir: string, credentials: CredentialsFile): Promise<void> {
  const path = join(dataDir, CREDENTIALS_FILE);
  const draft = `${path}.${uniqueName(4)}`;
  await writePrivately(draft, credentials);
  await rename(draft, path);
  await syncFile(dataDir);
}

/** Creates a file that only its owner can read. */
async function writePrivately(path: string, credentials: CredentialsFile): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
  } finally {
    await file.close();
  }
  await chmod(path, 0o600);
  await syncFile(path);
}
