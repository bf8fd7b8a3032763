// Describes a call for the audit log: which object it changed, how many records, and a short summary of the request. Only names,
// numbers, kinds, scopes, origins and ids that the service made are written out. All other text may be a secret, a user's id or
// someone's words, so it is left out, and lists and objects are only counted.
import { MAX_SUMMARY_LENGTH } from './audit-entry.ts';

/** The most special first: a job of a project is the job. */
const ID_FIELDS = [
  'session_id',
  'person_id',
  'key_id',
  'job_id',
  'model_id',
  'algorithm_id',
  'webhook_id',
  'experiment_id',
  'placement_id',
  'project_id',
  'event_dataset_id',
  'item_dataset_id',
  'user_dataset_id',
  'account_id',
];
/** The field of a response that counts records. */
const COUNT_FIELDS = ['deleted_count', 'merged_events', 'stored'];
const SHOWN_TEXTS = new Set([
  'name',
  'kind',
  'role',
  'project_type',
  'algorithm_type',
  'event_type',
  'target_event_type',
  'placement',
  'promote',
]);
/** Lists of operations and origins, which contain no secrets and no free text. */
const SHOWN_LISTS = new Set(['scopes', 'origins']);
const MAX_LIST_SHOWN = 5;
/** Fields of the response that are shown in addition to those of the request. */
const SHOWN_OF_RESPONSE = ['placement', 'scopes'];
/** Fields that null switches off. */
const SWITCHES = new Set(['automation', 'fatigue']);
const SERVICE_ID = /^[a-z]{2,4}_[0-9a-z]{26}$/;
const MAX_TEXT_LENGTH = 64;

type Fields = Record<string, unknown>;

export interface CallFacts {
  body: unknown;
  params: unknown;
  response: unknown;
}

export function objectOf({ body, params, response }: CallFacts): string | null {
  for (const name of ID_FIELDS) {
    for (const fields of [response, body, params]) {
      const id = isObject(fields) ? fields[name] : undefined;
      if (typeof id === 'string' && SERVICE_ID.test(id)) return id;
    }
  }
  return null;
}

export function recordsOf(response: unknown): number {
  if (!isObject(response)) return 0;
  if (Array.isArray(response.succeed_ids)) return response.succeed_ids.length;
  const count = COUNT_FIELDS.map((name) => response[name]).find((value) => typeof value === 'number');
  return (count as number | undefined) ?? 0;
}

/** A call that found nothing to do, such as a roll-back from a model that is not deployed. */
export function changedNothing(response: unknown): boolean {
  return isObject(response) && response.job_id === null;
}

export function summaryOf(body: unknown, response?: unknown): string {
  const sent = isObject(body) ? body : {};
  const told = isObject(response) ? response : {};
  const more = SHOWN_OF_RESPONSE.filter((name) => !(name in sent) && name in told);
  const fields = [...Object.entries(sent), ...more.map((name) => [name, told[name]] as const)];
  const parts = fields.flatMap(([name, value]) => {
    const shown = shownValue(name, value);
    return shown === null ? [] : [`${name}: ${shown}`];
  });
  const text = parts.join(', ');
  return text.length <= MAX_SUMMARY_LENGTH ? text : `${text.slice(0, MAX_SUMMARY_LENGTH - 1)}…`;
}

function shownValue(name: string, value: unknown): string | null {
  // A null that means "left out" was already dropped when the request was read.
  if (value === null) return SWITCHES.has(name) ? 'switched off' : 'removed';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    if (SERVICE_ID.test(value)) return value;
    return SHOWN_TEXTS.has(name) ? `"${value.slice(0, MAX_TEXT_LENGTH)}"` : null;
  }
  if (Array.isArray(value) && SHOWN_LISTS.has(name)) return shownList(value);
  if (Array.isArray(value)) return value.length === 1 ? '1 entry' : `${value.length} entries`;
  if (!isObject(value)) return null;
  const fields = Object.keys(value).length;
  return fields === 1 ? '1 field' : `${fields} fields`;
}

function shownList(entries: unknown[]): string {
  const shown = entries.slice(0, MAX_LIST_SHOWN).map((entry) => String(entry).slice(0, MAX_TEXT_LENGTH));
  const more = entries.length - shown.length;
  return `${shown.join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
}
