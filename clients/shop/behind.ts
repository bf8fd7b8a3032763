// "Behind this page": the calls the page made, in plain words, newest first.
import { h } from './dom.ts';

const MOST_ENTRIES = 12;
const entries: string[] = [];
const list = h('ol', { class: 'entries', 'aria-label': 'Calls, newest first' });

export function note(text: string): void {
  entries.unshift(text);
  entries.length = Math.min(entries.length, MOST_ENTRIES);
  list.replaceChildren(...entries.map((entry) => h('li', {}, entry)));
}

export function behindPanel(): HTMLElement {
  return h(
    'details',
    { class: 'behind', open: true },
    h('summary', {}, 'Behind this page'),
    h(
      'p',
      {},
      'Each page is one call for several placements. Each click is an event, sent with a browser key, and counts in the next call.',
    ),
    list,
    h('p', {}, h('a', { href: '/console/#/placements' }, 'Change these lists in the console')),
  );
}
