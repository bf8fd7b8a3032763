// Opening accounts: on the first start the account `default`, later by `kindred account create`.
import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, DEFAULT_PLAN, type Plan } from './domain/account.ts';
import { type Credentials, hashSecret, newCredentials } from './domain/credentials.ts';
import { newId } from './domain/ids.ts';
import type { AccountStore } from './store/catalogue-store.ts';

const DEFAULT_ACCOUNT = 'default';
export const CREDENTIALS_FILE = 'credentials.json';

export interface CredentialsFile extends Credentials {
  base_url: string;
}

/** Creates an account with its first key; null when the name is taken. */
export async function openAccount(
  accounts: AccountStore,
  name: string,
  plan: Partial<Plan> = {},
  made = newCredentialsFor(),
): Promise<{ account: Account; credentials: Credentials } | null> {
  const account: Account = {
    account_id: made.accountId,
    name,
    plan: { ...DEFAULT_PLAN, ...plan },
    disabled: false,
    created_ts: Date.now(),
    training_hours: 0,
  };
  const outcome = await accounts.create(account, made.key);
  return outcome === 'created' ? { account, credentials: made.credentials } : null;
}

function newCredentialsFor() {
  const accountId = newId('account');
  return { accountId, ...newCredentials(accountId, 'first key') };
}

/**
 * When there is no account yet: makes the account `default` and leaves its credentials in the data folder. The file is written
 * first, so that a crash in between cannot leave an account whose secret nobody knows. Answers whether it was made.
 */
export async function ensureFirstAccount(accounts: AccountStore, dataDir: string, baseUrl: string): Promise<boolean> {
  const { entries } = await accounts.list({ page_size: 1, page_token: null });
  if (entries.length > 0) return false;
  const made = newCredentialsFor();
  await writeCredentials(dataDir, { base_url: baseUrl, ...made.credentials });
  if (await openAccount(accounts, DEFAULT_ACCOUNT, {}, made)) return true;
  // Another node was faster: its credentials are the ones that work.
  await rm(join(dataDir, CREDENTIALS_FILE), { force: true });
  return false;
}

/** The credentials in the data folder if they still work, their address brought up to date; else null. */
export async function currentCredentials(
  accounts: AccountStore,
  dataDir: string,
  baseUrl: string,
): Promise<CredentialsFile | null> {
  const kept = await readCredentials(dataDir);
  if (!kept) return null;
  const key = await accounts.findKey(hashSecret(kept.api_key));
  if (!key || key.disabled || key.account_disabled) return null;
  const current = { ...kept, base_url: baseUrl };
  if (kept.base_url !== baseUrl) await writeCredentials(dataDir, current);
  return current;
}

async function readCredentials(dataDir: string): Promise<CredentialsFile | null> {
  try {
    const { base_url, api_key, client_secret } = JSON.parse(await readFile(join(dataDir, CREDENTIALS_FILE), 'utf8'));
    return typeof api_key === 'string' && typeof client_secret === 'string'
      ? { base_url, api_key, client_secret }
      : null;
  } catch {
    return null;
  }
}

/** Whole or not at all, readable by the owner only. */
async function writeCredentials(dataDir: string, credentials: CredentialsFile): Promise<void> {
  const path = join(dataDir, CREDENTIALS_FILE);
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(draft, 0o600);
  await rename(draft, path);
}
