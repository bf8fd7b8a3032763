// The demo shop: three pages (home, a film, the cart) made of placements. Opening, adding to the cart and buying are events, and the next
// response changes. It uses what any web page can use: a browser key, the tracker and the page call.
import {
  FILM_DETAILS,
  FILM_LISTS,
  type FilmShop,
  HOME_LISTS,
  SHOP_EVENTS,
  SHOP_PATH,
  type ShopList,
} from '../../src/sample/film-shop.ts';
import { behindPanel, note } from './behind.ts';
import { h, place } from './dom.ts';
import { countNew, filmRow, forgetShown, poster, priceOf } from './film-row.ts';
import { type AskedList, askForPage, type Film, type List, recommendationOf } from './lists.ts';
import { becomeVisitor, currentVisitor, keepVisitor, type Visitor } from './visitor.ts';

const NEW_VISITOR = 'new';
const NEWCOMER_WHY = 'Popular to start with. Open a film you like and come back: this list will have changed.';

let shop: FilmShop;
let visitor: Visitor;
/** Whether anything is known about a new visitor. */
let hasEvents = false;
let turn = 0;

async function start(): Promise<void> {
  ({ shop } = await (await fetch(`${SHOP_PATH}shop.json`)).json());
  visitor = currentVisitor(shop);
  place('footer').append(behindPanel());
  // The part after # is the page, so the link must not change it.
  place('skip').addEventListener('click', (event) => {
    event.preventDefault();
    place('main').focus();
  });
  addEventListener('hashchange', () => void showPage(true));
  await showPage(false);
}

/** The page of the address. Of several at once the last one is shown. */
async function showPage(moves: boolean): Promise<void> {
  const mine = ++turn;
  showHeader();
  const [, kind, id = ''] = location.hash.split('/');
  try {
    if (moves && kind === 'film') await record(SHOP_EVENTS.open, [decodeURIComponent(id)]);
    const content =
      kind === 'film' ? await filmPage(decodeURIComponent(id)) : await (kind === 'cart' ? cartPage() : homePage());
    if (mine !== turn) return;
    place('main').replaceChildren(...content.filter((part) => part !== null));
  } catch (error) {
    if (mine !== turn) return;
    const retry = h('button', { type: 'button', click: () => void showPage(false) }, 'Try again');
    place('main').replaceChildren(
      h('h1', {}, 'This page could not be made'),
      h('p', {}, (error as Error).message),
      retry,
    );
  }
  if (!moves) return;
  scrollTo(0, 0);
  // Who changes visitors by keyboard stays in the picker.
  if (document.activeElement?.id !== 'visitor') place('main').focus({ preventScroll: true });
}

function showHeader(): void {
  const chosen = visitor.isViewer ? visitor.id : NEW_VISITOR;
  const option = (value: string, text: string) => h('option', { value, selected: value === chosen }, text);
  const picker = h(
    'select',
    { id: 'visitor', change: (event) => switchTo((event.target as HTMLSelectElement).value) },
    option(NEW_VISITOR, 'New visitor'),
    ...shop.viewers.map(({ user_id, label }) => option(user_id, `${label} (${user_id})`)),
  );
  const focused = document.activeElement?.id;
  place('header').replaceChildren(
    h('a', { class: 'brand', href: '#/' }, 'Lantern'),
    h('p', { class: 'slogan' }, 'A small film shop'),
    h('label', { class: 'who', for: 'visitor' }, 'You are', picker),
    h('button', { type: 'button', click: () => switchTo(NEW_VISITOR) }, 'Start over as somebody new'),
    h('a', { class: 'cart', href: '#/cart' }, `Cart (${visitor.cart.length})`),
  );
  if (focused === 'visitor') picker.focus();
}

function switchTo(viewerId: string): void {
  visitor = becomeVisitor(shop, viewerId === NEW_VISITOR ? null : viewerId);
  hasEvents = false;
  forgetShown();
  note(visitor.isViewer ? `You are ${visitor.id} now` : 'You are a new visitor now: nothing is known about you');
  if (location.hash === '#/' || location.hash === '') void showPage(false);
  else location.hash = '#/';
}

/** Returns when the events are stored. */
async function record(eventType: string, itemIds: string[]): Promise<void> {
  for (const itemId of itemIds) {
    visitor.tracker.track(eventType, itemId, { recommendationId: recommendationOf(itemId) });
    note(`Event ${eventType} of ${itemId}`);
  }
  await visitor.tracker.flush();
  hasEvents = true;
}

async function ask(asked: AskedList[]): Promise<Map<string, List>> {
  const startedMs = performance.now();
  const lists = await askForPage(shop, visitor.id, asked);
  const ms = Math.max(1, Math.round(performance.now() - startedMs));
  const forYou = lists.get('for-you');
  const changed = forYou && countNew(forYou);
  const effect = changed ? `, ${changed} of ${forYou.results.length} under For you are new` : '';
  note(`${lists.size} ${lists.size === 1 ? 'list' : 'lists'} in ${ms} ms${effect}`);
  return lists;
}

type Content = (HTMLElement | null)[];

async function homePage(): Promise<Content> {
  const lists = await ask(HOME_LISTS.map(({ name }) => ({ name })));
  document.title = 'Lantern, a film shop';
  const isNewcomer = !visitor.isViewer && !hasEvents;
  return [
    h('h1', { class: 'quiet' }, 'Films'),
    ...HOME_LISTS.map((shown) => {
      const why = shown.kind === 'for_you' && isNewcomer ? NEWCOMER_WHY : undefined;
      return rowOf(lists, shown, { why, marksNew: shown.kind === 'for_you' });
    }),
  ];
}

function rowOf(
  lists: Map<string, List>,
  shown: ShopList,
  options: { why?: string; marksNew?: boolean } = {},
): HTMLElement | null {
  const list = lists.get(shown.name);
  return list ? filmRow({ list, shown, tracker: visitor.tracker, ...options }) : null;
}

async function filmPage(id: string): Promise<Content> {
  const related = FILM_LISTS.map(({ name }) => ({ name, item_id: id }));
  const lists = await ask([{ name: FILM_DETAILS, item_ids: [id] }, ...related]);
  const film = lists.get(FILM_DETAILS)?.results[0]?.item;
  if (!film)
    return [h('h1', {}, 'This film is not in the shop'), h('p', {}, h('a', { href: '#/' }, 'Back to the films'))];
  document.title = `${film.name}, Lantern`;
  const inCart = visitor.cart.includes(id);
  const details = h(
    'section',
    { class: 'details' },
    h('span', { class: 'frame' }, poster(film)),
    h(
      'div',
      {},
      h('h1', {}, film.name),
      h('p', { class: 'genres' }, [...film.genres, film.year, `${film.minutes} min`, film.language].join(' · ')),
      h('p', { class: 'big price' }, priceOf(film)),
      h(
        'p',
        { class: 'actions' },
        h('button', { type: 'button', class: 'primary', click: () => void buy([film]) }, 'Buy and watch'),
        h(
          'button',
          { type: 'button', disabled: inCart, click: () => void addToCart(film) },
          inCart ? 'In your cart' : 'Add to cart',
        ),
      ),
    ),
  );
  return [details, ...FILM_LISTS.map((shown) => rowOf(lists, shown))];
}

async function cartPage(): Promise<Content> {
  document.title = 'Your cart, Lantern';
  const { cart } = visitor;
  if (cart.length === 0) {
    return [h('h1', {}, 'Your cart is empty'), h('p', {}, h('a', { href: '#/' }, 'Back to the films'))];
  }
  const together = FILM_LISTS.filter(({ kind }) => kind === 'together');
  const lists = await ask([
    { name: FILM_DETAILS, item_ids: cart },
    ...together.map(({ name }) => ({ name, item_ids: cart })),
  ]);
  const films = lists.get(FILM_DETAILS)?.results.map(({ item }) => item) ?? [];
  const line = (film: Film) =>
    h(
      'li',
      {},
      h('span', { class: 'frame' }, poster(film)),
      h('a', { href: `#/film/${encodeURIComponent(film.item_id)}` }, film.name),
      h('span', { class: 'price' }, priceOf(film)),
      h(
        'button',
        {
          type: 'button',
          'aria-label': `Remove ${film.name}`,
          click: () => setCart(cart.filter((id) => id !== film.item_id)),
        },
        'Remove',
      ),
    );
  return [
    h('h1', {}, 'Your cart'),
    h('ul', { class: 'lines' }, ...films.map(line)),
    h(
      'p',
      { class: 'actions' },
      h(
        'button',
        { type: 'button', class: 'primary', click: () => void buy(films) },
        films.length > 1 ? 'Buy all' : 'Buy and watch',
      ),
    ),
    ...together.map((shown) =>
      rowOf(lists, shown, { why: 'Looked at or bought in the same visit as what is in your cart' }),
    ),
  ];
}

function setCart(cart: string[]): void {
  visitor.cart = cart;
  keepVisitor(visitor);
  void showPage(false);
}

async function addToCart(film: Film): Promise<void> {
  await record(SHOP_EVENTS.cart, [film.item_id]);
  say(`${film.name} is in your cart.`);
  setCart([...visitor.cart, film.item_id]);
}

async function buy(films: Film[]): Promise<void> {
  const ids = films.map(({ item_id }) => item_id);
  await record(SHOP_EVENTS.buy, ids);
  say(`You bought ${films.length === 1 ? films[0].name : `${films.length} films`}. Enjoy!`);
  setCart(visitor.cart.filter((id) => !ids.includes(id)));
}

function say(text: string): void {
  const status = place('status');
  status.textContent = text;
  setTimeout(() => {
    if (status.textContent === text) status.textContent = '';
  }, 4000);
}

void start();
