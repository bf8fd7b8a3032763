// A page of users or items: their places and sizes are known, those that fit are read.
import type { EntityRecord } from '../domain/record.ts';
import { fitting, type Page, type PageRequest, tokenAfter } from './page.ts';

/** An entry of the list without its attributes. */
export interface RecordHead {
  id: string;
  version: number;
  bytes: number;
}

export async function recordPage(
  heads: readonly RecordHead[],
  page: PageRequest,
  read: (ids: string[]) => Promise<(EntityRecord | null)[]>,
): Promise<Page<EntityRecord>> {
  const shown = heads.slice(
    0,
    fitting(
      heads.map(({ bytes }) => bytes),
      page,
    ),
  );
  const last = shown.at(-1);
  if (!last) return { entries: [], next_page_token: null };
  // A record deleted since the list was read is skipped.
  const entries = (await read(shown.map(({ id }) => id))).filter((record) => record !== null);
  return {
    entries,
    next_page_token: heads.length > shown.length ? tokenAfter({ ts: last.version, id: last.id }) : null,
  };
}
