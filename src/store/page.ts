// Paging of growing lists: newest first, by (created_ts, id); the token is opaque to clients. A page is bounded in bytes as well
// as in entries: it ends early where entries are large, and is asked how large they are before they are read.
import { AppError } from '../errors.ts';

export interface PageRequest {
  page_size: number;
  page_token: string | null;
  /** Default MAX_PAGE_BYTES. One entry always fits. */
  max_bytes?: number;
}

export const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Estimated bytes of an entry besides what was measured: names, ids, field names. */
export const ENTRY_BYTES = 500;

/** Counts what still fits on a page while it fills. */
export class PageRoom {
  readonly #page: PageRequest;
  #entries = 0;
  #bytes = 0;

  constructor(page: PageRequest) {
    this.#page = page;
  }

  /** Returns whether the next entry fits on the page, and counts it if so. */
  takes(bytes: number): boolean {
    const { page_size, max_bytes = MAX_PAGE_BYTES } = this.#page;
    this.#bytes += bytes + ENTRY_BYTES;
    if (this.#entries === page_size || (this.#bytes > max_bytes && this.#entries > 0)) return false;
    this.#entries++;
    return true;
  }
}

/**
 * Returns how many of the next entries fit on the page, given their sizes. `sizes` may have one entry more than the
 * page takes.
 */
export function fitting(sizes: readonly number[], page: PageRequest): number {
  const room = new PageRoom(page);
  const first = sizes.findIndex((bytes) => !room.takes(bytes));
  return first < 0 ? sizes.length : first;
}

export interface Page<T> {
  entries: T[];
  next_page_token: string | null;
}

/** A position in a list. Entries after it are older, or equally old with a smaller id. */
export interface PagePosition {
  ts: number;
  id: string;
}

/** The position at which a page starts: use as `created_ts < ts OR (created_ts = ts AND id < id)`. */
export function pageStart(page: PageRequest): PagePosition {
  if (page.page_token === null) return { ts: Number.MAX_SAFE_INTEGER, id: '' };
  const [, ts, id] =
    /^(\d{1,16}):([^\u0000-\u001f]+)$/.exec(Buffer.from(page.page_token, 'base64url').toString()) ?? [];
  if (ts === undefined) throw invalidPageToken();
  return { ts: Number(ts), id };
}

/** The position for lists whose second key is a whole number. */
export function numberedPageStart(page: PageRequest): { ts: number; no: number } {
  const { ts, id } = pageStart(page);
  if (page.page_token !== null && !/^\d{1,15}$/.test(id)) throw invalidPageToken();
  return { ts, no: Number(id) };
}

export function invalidPageToken(): AppError {
  const detail = 'Send the next_page_token of the page before, unchanged, or none for the first page.';
  return new AppError('INVALID_PAGE_TOKEN', detail);
}

/** Makes a page of rows that were read with `LIMIT page_size + 1`: an additional row shows that there is a next page. */
export function pageOf<T>(rows: T[], page: PageRequest, positionOf: (entry: T) => PagePosition): Page<T> {
  const entries = rows.slice(0, page.page_size);
  return { entries, next_page_token: rows.length > entries.length ? tokenAfter(positionOf(entries.at(-1)!)) : null };
}

/** Makes a page of a list that is short enough to be read completely, newest first. */
export function pageOfAll<T>(all: readonly T[], page: PageRequest, positionOf: (entry: T) => PagePosition): Page<T> {
  const start = pageStart(page);
  const rest = all.filter((entry) => {
    const { ts, id } = positionOf(entry);
    return ts < start.ts || (ts === start.ts && id < start.id);
  });
  return pageOf(rest, page, positionOf);
}

/** The token of the page that starts after this position. */
export function tokenAfter({ ts, id }: PagePosition): string {
  return Buffer.from(`${ts}:${id}`).toString('base64url');
}
