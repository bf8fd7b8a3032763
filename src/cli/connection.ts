// How a command finds the service: KINDRED_API_KEY, KINDRED_CLIENT_SECRET and KINDRED_BASE_URL, else credentials.json in
// the data folder, which the service writes at its first start. Secrets are never read from the command line, where other
// users of the machine could see them.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Kindred } from '../client/index.ts';
import { CommandError, EXIT, UsageError } from './exit-codes.ts';

export interface ConnectionFlags {
  url?: string;
  dataDir?: string;
}

interface Credentials {
  base_url: string;
  api_key: string;
  client_secret: string;
}

export function addConnectionOptions(command: Command): Command {
  return command
    .option('--url <address>', 'address of the service (default: KINDRED_BASE_URL, else credentials.json)')
    .option('--data-dir <folder>', 'folder of credentials.json (default: KINDRED_DATA_DIR, else ./data)');
}

/** Commands give up soon if the service does not respond; an import waits for it to restart. */
const FEW_RETRIES = 3;
export const MANY_RETRIES = 10;

export function connect(
  flags: ConnectionFlags,
  maxRetries: number = FEW_RETRIES,
  env: NodeJS.ProcessEnv = process.env,
): Kindred {
  const { base_url, api_key, client_secret } = findCredentials(flags, env);
  try {
    return new Kindred({ baseUrl: base_url, apiKey: api_key, clientSecret: client_secret, retry: { maxRetries } });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

function findCredentials(flags: ConnectionFlags, env: NodeJS.ProcessEnv): Credentials {
  const { KINDRED_API_KEY: apiKey, KINDRED_CLIENT_SECRET: secret, KINDRED_BASE_URL: baseUrl } = env;
  if (apiKey && secret && !flags.dataDir) {
    return { base_url: flags.url ?? (baseUrl || 'http://127.0.0.1:8080'), api_key: apiKey, client_secret: secret };
  }
  const file = join(resolve(flags.dataDir ?? (env.KINDRED_DATA_DIR || './data')), 'credentials.json');
  let credentials: Credentials;
  try {
    credentials = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const message = `no credentials: ${file} cannot be read, and KINDRED_API_KEY and KINDRED_CLIENT_SECRET are not both set.
Start the service here first (kindred serve), or set these two and KINDRED_BASE_URL.`;
    throw new CommandError(message, EXIT.USAGE);
  }
  return { ...credentials, base_url: flags.url ?? (baseUrl || credentials.base_url) };
}
