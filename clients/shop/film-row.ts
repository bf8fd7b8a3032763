// A list of films under its title. Films that came in since the last response are marked, so that the effect of a click is seen.
import type { ShopList } from '../../src/sample/film-shop.ts';
import type { Tracker } from '../browser/tracker.ts';
import { h } from './dom.ts';
import type { Film, List } from './lists.ts';

const PRICE = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
export const priceOf = ({ price }: Film): string => PRICE.format(price);

/** Ids of each list as it was last shown. */
const lastShown = new Map<string, Set<string>>();

export const forgetShown = (): void => lastShown.clear();

/** How many films of the list were not in it before; null: it was not shown before. */
export function countNew({ placement, results }: List): number | null {
  const before = lastShown.get(placement);
  return before ? results.filter(({ item }) => !before.has(item.item_id)).length : null;
}

export interface RowOptions {
  list: List;
  shown: ShopList;
  /** Instead of the list's own line. */
  why?: string;
  marksNew?: boolean;
  /** what watches which films are seen */
  tracker: Tracker;
}

/** null: there is nothing to show. Films that only fill up a list of the visitor's own films are not shown. */
export function filmRow({ list, shown, why = shown.why, marksNew = false, tracker }: RowOptions): HTMLElement | null {
  const isOwn = shown.kind === 'continue' || shown.kind === 'again';
  const results = isOwn ? list.results.filter(({ filled }) => !filled) : list.results;
  const before = lastShown.get(shown.name);
  lastShown.set(shown.name, new Set(list.results.map(({ item }) => item.item_id)));
  if (results.length === 0) return null;
  const isNew = (id: string) => marksNew && before !== undefined && !before.has(id);
  return h(
    'section',
    { class: 'row', 'aria-labelledby': `row-${shown.name}` },
    h('h2', { id: `row-${shown.name}` }, shown.title),
    h('p', { class: 'why' }, why),
    h(
      'ul',
      { class: 'films' },
      ...results.map(({ item }) => {
        const entry = h('li', {}, filmCard(item, isNew(item.item_id)));
        tracker.watch(entry, { itemId: item.item_id, recommendationId: list.recommendation_id });
        return entry;
      }),
    ),
  );
}

function filmCard(film: Film, isNew: boolean): HTMLElement {
  return h(
    'a',
    { class: 'film', href: `#/film/${encodeURIComponent(film.item_id)}` },
    h('span', { class: 'frame' }, poster(film), isNew ? h('span', { class: 'new' }, 'New') : null),
    h('span', { class: 'name' }, film.name),
    h('span', { class: 'genres' }, film.genres.join(', ')),
    h('span', { class: 'price' }, priceOf(film)),
  );
}

export function poster(film: Film): HTMLElement {
  return h('img', { src: String(film.image), alt: '', width: '200', height: '280', loading: 'lazy' });
}
