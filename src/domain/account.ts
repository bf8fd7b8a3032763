// Developer accounts, their plan limits and API keys.
import type { Scopes } from './scopes.ts';

export interface Plan {
  max_event_shards: number;
  max_training_hours: number;
  max_qps: number;
  /** limit of bytes in records and events, see store/stored-bytes.ts */
  max_storage_bytes: number;
}

export const DEFAULT_PLAN: Plan = {
  max_event_shards: 1000,
  max_training_hours: 1000,
  max_qps: 10_000,
  max_storage_bytes: 100 * 2 ** 30,
};

export interface Usage {
  event_shards: number;
  training_hours: number;
  storage_bytes: number;
}

export interface Account {
  account_id: string;
  name: string;
  plan: Plan;
  disabled: boolean;
  created_ts: number;
  training_hours: number;
  /** used by recommendation calls without a project_id: the first project deployed, or one the account chose */
  default_project_id: string | null;
}

/** Keys an account may create. Disabled keys are kept, so that their tokens stay rejected and the list stays complete. */
export interface KeyLimits {
  usable: number;
  total: number;
}

export const KEY_LIMITS: KeyLimits = { usable: 100, total: 1000 };

/** `secret`: has a client secret, for programs. `browser`: public, for the pages of its origins, bound to one project. */
export const KEY_KINDS = ['secret', 'browser'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** An API key and its client secret; only hashes are kept, `hint` is the key's first characters. */
export interface ApiKey {
  key_id: string;
  account_id: string;
  name: string;
  kind: KeyKind;
  key_hash: string;
  /** A browser key has none, and no secret matches it. */
  secret_hash: string;
  hint: string;
  scopes: Scopes;
  /** For a browser key, the pages that may use it. */
  origins: readonly string[];
  /** For a browser key, the only project it is valid for. */
  project_id: string | null;
  /** null means that it never expires. */
  expires_ts: number | null;
  disabled: boolean;
  created_ts: number;
  /** Increases with each rotation. A token contains the version of the secret it was issued for. */
  secret_version: number;
  rotated_ts: number | null;
  /** The secret before the rotation, which works until then. */
  previous_secret_hash: string | null;
  previous_until_ts: number | null;
}

export function hasExpired({ expires_ts }: Pick<ApiKey, 'expires_ts'>, nowMs: number): boolean {
  return expires_ts !== null && expires_ts <= nowMs;
}
