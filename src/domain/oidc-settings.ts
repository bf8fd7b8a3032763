// Sign-in with OpenID Connect: its settings, and which role they give a person.
import { ROLES, type Role } from './person.ts';

export interface OidcSettings {
  /** The issuer exactly as in the provider's tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** null: a public client, which proves itself with PKCE alone. */
  readonly clientSecret: string | null;
  /** The scopes to request from the provider. */
  readonly scopes: string;
  /** Name of the account that people act for. */
  readonly account: string;
  /** The claim that `claim:` entries of the lists compare with. */
  readonly claim: string;
  readonly members: Readonly<Record<Role, readonly string[]>>;
  /** The role of people in none of the lists; null if they may not sign in. */
  readonly othersRole: Role | null;
  /** A session ends after this long, however much it is used. */
  readonly sessionHours: number;
}

/** The provider's claims about a person. */
export interface Claims {
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly [name: string]: unknown;
}

const CLAIM_PREFIX = 'claim:';
const MAX_CLAIM_VALUES = 1000;

/** Says what is wrong with an entry of a list of members; null if it is valid. */
export function memberProblem(entry: string): string | null {
  if (entry.startsWith(CLAIM_PREFIX)) return entry.length > CLAIM_PREFIX.length ? null : 'names no value of the claim';
  return /^[^@\s]*@[^@\s]+$/.test(entry) ? null : 'is neither an e-mail address nor @domain nor claim:VALUE';
}

/** The highest role of the lists that name the person. */
export function roleOf(claims: Claims, settings: Pick<OidcSettings, 'claim' | 'members' | 'othersRole'>): Role | null {
  const email = verifiedEmail(claims);
  const values = claimValues(claims[settings.claim]);
  const isMember = (entry: string): boolean => {
    if (entry.startsWith(CLAIM_PREFIX)) return values.includes(entry.slice(CLAIM_PREFIX.length));
    if (email === null) return false;
    return entry.startsWith('@') ? email.endsWith(entry.toLowerCase()) : email === entry.toLowerCase();
  };
  return ROLES.findLast((role) => settings.members[role].some(isMember)) ?? settings.othersRole;
}

/** Returns the address in lower case; null unless the provider has verified it. */
export function verifiedEmail({ email, email_verified }: Claims): string | null {
  const isVerified = email_verified === true || email_verified === 'true';
  return typeof email === 'string' && isVerified ? email.toLowerCase() : null;
}

function claimValues(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim.slice(0, MAX_CLAIM_VALUES) : [claim];
  return values.filter((value): value is string => typeof value === 'string');
}
