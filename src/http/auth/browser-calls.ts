// The calls a browser key may make. Anyone who reads a web page has its key, so this list is short and in one place, and every
// other call rejects the key: a new call is closed to browsers until it is listed here.
import { AppError } from '../../errors.ts';

/**
 * Fields that identify the visitor and what they look at or did. Attributes, filters and explanations are missing
 * because they would reveal the catalog or other users' behavior.
 */
const VISITOR_FIELDS = [
  'project_id',
  'user_id',
  'item_id',
  'item_ids',
  'session_events',
  'context',
  'limit',
  'exclude_item_ids',
  'page_token',
];

const PART_FIELDS = ['name', ...VISITOR_FIELDS];

/** Fields a page may send in each call; null: all fields of the call. */
const BROWSER_CALLS: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['POST /track', null],
  ['POST /record-impressions', null],
  ['POST /ingest/segment', null],
  ['POST /projects/:project_id/placements/:name', VISITOR_FIELDS],
  ['POST /projects/:project_id/page', [...VISITOR_FIELDS, 'placements']],
]);

export interface BrowserCall {
  refuseOtherFields(body: unknown): void;
}

/** Returns null if a browser key may not make this call. */
export function browserCallOf({ method, path }: { method: string; path: string }): BrowserCall | null {
  const fields = BROWSER_CALLS.get(`${method} ${path}`);
  if (fields === undefined) return null;
  return {
    refuseOtherFields(body) {
      if (fields === null || typeof body !== 'object' || body === null) return;
      // In a call for a page, each placement has its own fields.
      const { placements } = body as { placements?: unknown };
      const parts: unknown[] = [body, ...(Array.isArray(placements) ? placements : [])];
      const other = parts
        .flatMap((part, index) => Object.entries(part ?? {}).map((entry) => ({ entry, isPart: index > 0 })))
        .find(
          ({ entry: [name, value], isPart }) => value !== undefined && !(isPart ? PART_FIELDS : fields).includes(name),
        )?.entry[0];
      if (other === undefined) return;
      const name = other.slice(0, 64);
      // /track has a field of this name, so it deserves a hint.
      const advice =
        name === 'visitor_id'
          ? 'Use user_id: it takes the ids of visitors too.'
          : 'Set it in the placement, or call from your server.';
      const detail = `A browser key may not send ${name}. ${advice}`;
      throw new AppError('INVALID_REQUEST', detail, {
        errors: [{ pointer: `/${name}`, message: 'is not for browser keys' }],
      });
    },
  };
}
