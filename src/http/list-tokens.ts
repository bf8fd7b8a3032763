// Page tokens are bound to their list: a mark behind the place (`place=mark`) says which call and which fields they are of, and a token
// of another list is refused. What reads places stops at the `=`. Tokens of earlier versions have no mark and are taken as they are.
import { createHash } from 'node:crypto';
import { invalidPageToken } from '../store/page.ts';
import type { Route } from './route.ts';

const MARK_LENGTH = 8;

interface Query {
  page_size?: number;
  page_token?: string;
}

export interface ListTokens {
  /** Returns the position that a page token refers to. */
  open(token: string): string;
  seal(next: string | null): string | null;
}

/** Page tokens for the list that this path gives with these fields. Only the size may change from page to page. */
export function listTokens(path: string, query: Query): ListTokens {
  const { page_size, page_token, ...rest } = query;
  const fields = Object.entries(rest).filter(([, value]) => value !== undefined);
  const list = JSON.stringify([path, fields.sort(([a], [b]) => (a < b ? -1 : 1))]);
  const mark = createHash('sha256').update(list).digest('base64url').slice(0, MARK_LENGTH);
  return {
    open(token) {
      const [place, given] = token.split('=', 2);
      if (given !== undefined && given !== mark) throw invalidPageToken();
      return place;
    },
    seal: (next) => next && `${next}=${mark}`,
  };
}

/**
 * Runs the handler of a list with its own page tokens; null if the route is not a list. A handler that writes JSON text seals its
 * token itself.
 */
export function tokenBinder(route: Route): ((query: Query, list: () => unknown) => Promise<unknown>) | null {
  const { properties } = (route.query ?? {}) as { properties?: object };
  if (route.method !== 'GET' || properties === undefined || !('page_token' in properties)) return null;
  return async (query, list) => {
    const tokens = listTokens(route.path, query);
    if (query.page_token !== undefined) query.page_token = tokens.open(query.page_token);
    const response = await list();
    if (typeof response !== 'object' || response === null || !('next_page_token' in response)) return response;
    return { ...response, next_page_token: tokens.seal(response.next_page_token as string | null) };
  };
}
