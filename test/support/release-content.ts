// The records of a kept release (scripts/keep-release.ts): a shop whose users mostly buy one genre.
// Ids carry the genre ("drama-fan-03" buys "drama-07"), so a test can check recommendations without this file, which may
// change for the next release. Times of events are fixed.

import { seededRandom } from '../../src/base/seeded-random.ts';
import type { EventRecord, ItemRecord, UserRecord } from '../../src/client/index.ts';

const GENRES = ['drama', 'comedy', 'horror', 'western'];
const FANS_PER_GENRE = 15;
const ITEMS_PER_GENRE = 20;
const PURCHASES_PER_USER = 11;
const FIRST_TS = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;

const numbered = (prefix: string, n: number): string => `${prefix}-${String(n).padStart(2, '0')}`;

export function releaseItems(): ItemRecord[] {
  return GENRES.flatMap((genre, g) =>
    Array.from({ length: ITEMS_PER_GENRE }, (_, n) => ({
      item_id: numbered(genre, n),
      attributes: {
        title: `Übung ${genre} “${n}”`,
        genre: [genre, n % 2 ? 'color' : 'black and white'],
        year: 1950 + 2 * n + g,
        price: 4.5 + (n % 5),
        in_stock: n % 7 !== 0,
      },
    })),
  );
}

export function releaseUsers(): UserRecord[] {
  const fans = GENRES.flatMap((genre, g) =>
    Array.from({ length: FANS_PER_GENRE }, (_, n) => ({
      user_id: numbered(`${genre}-fan`, n),
      attributes: { age: 20 + ((n * 7 + g) % 50), region: ['north', 'south'][n % 2], newsletter: n % 3 === 0 },
    })),
  );
  return [
    ...fans,
    { user_id: 'newcomer', attributes: { age: 31, region: 'north' } },
    { user_id: 'leaver', attributes: { age: 66 } },
  ];
}

/** Of each purchase also the view and the cart before it: nine of ten purchases are of the user's own genre. */
export function releaseEvents(): EventRecord[] {
  const { next: chance } = seededRandom(2026);
  return releaseUsers().flatMap(({ user_id }) => {
    if (user_id === 'newcomer') return [];
    const own = Math.max(0, GENRES.indexOf(user_id.split('-')[0]));
    const bought = new Set<string>();
    while (bought.size < PURCHASES_PER_USER) {
      const genre = chance() < 0.9 ? own : Math.floor(chance() * GENRES.length);
      bought.add(numbered(GENRES[genre], Math.floor(chance() ** 1.3 * ITEMS_PER_GENRE)));
    }
    return [...bought].flatMap((item_id, n) => {
      const ts = FIRST_TS + n * 8 * DAY_MS + Math.floor(chance() * DAY_MS);
      const event = (event_type: string, minute: number, event_value: number) => ({
        event_id: `${user_id}/${item_id}/${event_type}`,
        user_id,
        item_id,
        ts: ts + minute * 60_000,
        event_type,
        event_value,
        attributes: n % 4 === 0 ? { device: ['phone', 'desktop'][n % 8 ? 1 : 0], hour: minute % 24 } : {},
      });
      return [event('view', 0, 1), event('cart', 3, 1), event('purchase', 9, 4.5 + (n % 5))];
    });
  });
}
