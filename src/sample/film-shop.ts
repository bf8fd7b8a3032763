// The demo's shop: the lists of its pages, and what `kindred demo` leaves in the data folder so that the service shows it at /demo/.
import type { PlacementDefinition } from '../domain/placement.ts';
import { SAMPLE_TARGET_EVENT } from './film-sample.ts';

/** File in the data folder. Without it the service has no shop page. */
export const SHOP_FILE = 'demo-shop.json';
export const SHOP_PATH = '/demo/';
export const POSTER_PATH = `${SHOP_PATH}posters/`;

/** The content of that file. Public: the key is a browser key. */
export interface FilmShop {
  project_id: string;
  key: string;
  /** Viewers to look through the eyes of. */
  viewers: { user_id: string; label: string }[];
}

export const SHOP_EVENTS = { open: 'view', cart: 'cart', buy: SAMPLE_TARGET_EVENT } as const;

export interface ShopList {
  name: string;
  title: string;
  why: string;
  kind: PlacementDefinition['kind'];
  defaults?: PlacementDefinition['defaults'];
  fallback?: PlacementDefinition['fallback'];
}

const ROW = { limit: 6, attributes: ['name', 'genres', 'year', 'price', 'minutes', 'language', 'image'] };

/** In the order of the home page. */
export const HOME_LISTS: ShopList[] = [
  {
    name: 'for-you',
    title: 'For you',
    why: 'New to you, chosen from what you looked at and bought',
    kind: 'for_you',
    defaults: { ...ROW, objective: 'discover', diversity: { max_per: { genres: 4 } } },
    fallback: ['popular'],
  },
  {
    name: 'continue',
    title: 'Continue',
    why: 'You looked at these and did not buy them yet',
    kind: 'continue',
    defaults: ROW,
  },
  { name: 'again', title: 'Watch again', why: 'You bought these before', kind: 'again', defaults: ROW },
  {
    name: 'trending',
    title: 'Trending this week',
    why: 'More views than usual, the same for everybody',
    kind: 'trending',
    defaults: { ...ROW, window_hours: 168 },
  },
  {
    name: 'bestsellers',
    title: 'Bestsellers',
    why: 'Bought most often in the last 30 days',
    kind: 'popular',
    defaults: { ...ROW, window_hours: 720, event_type: SAMPLE_TARGET_EVENT },
  },
];

/** The lists on the page of a film. */
export const FILM_LISTS: ShopList[] = [
  { name: 'next', title: 'Watch next', why: 'What viewers buy after this one', kind: 'next', defaults: ROW },
  {
    name: 'similar',
    title: 'Similar films',
    why: 'Instead of this one, by taste and genre',
    kind: 'similar',
    defaults: ROW,
  },
  {
    name: 'together',
    title: 'Goes with it',
    why: 'Looked at or bought in the same visit',
    kind: 'together',
    defaults: ROW,
  },
];

/** Details of films by their ids: a browser key reads items through placements alone. */
export const FILM_DETAILS = 'film-details';

export const SHOP_LISTS: ShopList[] = [
  ...HOME_LISTS,
  ...FILM_LISTS,
  { name: FILM_DETAILS, title: 'Films of the page', why: '', kind: 'ranking', defaults: { ...ROW, limit: 50 } },
];
