// Settings of the sign-in with OpenID Connect; read by config.ts with the rest.
import { readFileSync } from 'node:fs';
import { memberProblem, type OidcSettings } from '../domain/oidc-settings.ts';
import type { Role as PersonRole } from '../domain/person.ts';
import { isUrl, type VariableReader } from './variable-reader.ts';

const SESSION_HOURS = 12;

export const OIDC_VARIABLES = {
  KINDRED_OIDC_ISSUER: 'https://… of an OpenID provider, for people to sign in to the console (off)',
  KINDRED_OIDC_CLIENT_ID: 'id of this client at the provider',
  KINDRED_OIDC_CLIENT_SECRET: 'its secret (none: a public client)',
  KINDRED_OIDC_CLIENT_SECRET_FILE: 'a file with the secret, instead',
  KINDRED_OIDC_ADMINS: 'who is admin: e-mail addresses, @domains or claim:VALUE, separated by commas (nobody)',
  KINDRED_OIDC_EDITORS: 'who is editor, in the same way (nobody)',
  KINDRED_OIDC_VIEWERS: 'who is viewer, in the same way (nobody)',
  KINDRED_OIDC_OTHERS: 'none or viewer: the role of everyone else who signs in (none)',
  KINDRED_OIDC_CLAIM: 'the claim that claim:VALUE compares with (groups)',
  KINDRED_OIDC_SCOPES: 'what is requested from the provider (openid email profile)',
  KINDRED_OIDC_ACCOUNT: 'name of the account that people act for (default)',
  KINDRED_OIDC_SESSION_HOURS: `hours after which people sign in again (${SESSION_HOURS})`,
} as const;
type OidcVariable = keyof typeof OIDC_VARIABLES;
const NAMES = Object.keys(OIDC_VARIABLES) as OidcVariable[];

export function loadOidcSettings(reader: VariableReader<OidcVariable>): OidcSettings | null {
  const { problems } = reader;
  const issuer = reader.text('KINDRED_OIDC_ISSUER');
  if (issuer === null) {
    const given = NAMES.find((name) => reader.text(name) !== null);
    if (given !== undefined) problems.push(`${given} is set, but KINDRED_OIDC_ISSUER is not. Set it too.`);
    return null;
  }
  const isSafe = isUrl(issuer, ['https:']) || (isUrl(issuer, ['http:']) && isThisMachine(new URL(issuer).hostname));
  if (!isSafe) reader.refuse('KINDRED_OIDC_ISSUER', issuer, 'like https://login.example.com');
  const clientId = reader.text('KINDRED_OIDC_CLIENT_ID');
  if (clientId === null) problems.push('KINDRED_OIDC_CLIENT_ID is missing. Set the id of this client at the provider.');
  const members = (name: OidcVariable): string[] => {
    const entries = reader.list(name);
    const wrong = entries.find((entry) => memberProblem(entry) !== null);
    if (wrong !== undefined) problems.push(`${name}: "${wrong}" ${memberProblem(wrong)}.`);
    return entries;
  };
  const scopes = reader.text('KINDRED_OIDC_SCOPES') ?? 'openid email profile';
  if (!scopes.split(/\s+/).includes('openid')) problems.push('KINDRED_OIDC_SCOPES must contain openid.');
  const othersRole = reader.oneOf('KINDRED_OIDC_OTHERS', ['none', 'viewer'], 'none');
  return Object.freeze({
    issuer,
    clientId: clientId ?? '',
    clientSecret: readSecret(reader),
    scopes,
    account: reader.text('KINDRED_OIDC_ACCOUNT') ?? 'default',
    claim: reader.text('KINDRED_OIDC_CLAIM') ?? 'groups',
    members: {
      admin: members('KINDRED_OIDC_ADMINS'),
      editor: members('KINDRED_OIDC_EDITORS'),
      viewer: members('KINDRED_OIDC_VIEWERS'),
    } satisfies Record<PersonRole, string[]>,
    othersRole: othersRole === 'viewer' ? 'viewer' : null,
    sessionHours: reader.whole('KINDRED_OIDC_SESSION_HOURS', SESSION_HOURS, { from: 1, to: 999 }),
  });
}

function readSecret(reader: VariableReader<OidcVariable>): string | null {
  const secret = reader.text('KINDRED_OIDC_CLIENT_SECRET');
  const file = reader.text('KINDRED_OIDC_CLIENT_SECRET_FILE');
  if (file === null) return secret;
  if (secret !== null) {
    reader.problems.push('Set KINDRED_OIDC_CLIENT_SECRET or KINDRED_OIDC_CLIENT_SECRET_FILE, not both.');
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    reader.problems.push(`KINDRED_OIDC_CLIENT_SECRET_FILE: cannot read ${file} (${(error as Error).message}).`);
    return null;
  }
}

const isThisMachine = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
