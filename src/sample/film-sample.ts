// The sample catalog: films with titles, genres and prices, viewers with attributes, and what they watched.
// Taste is planted, so that a model has something to find: each viewer belongs to a taste group (which leans on age group),
// a group likes some genres, every film also has a mood that only behavior shows, and parts of a series are watched in order.
// Everything follows from the seed and the sizes; it is streamed, so a large sample needs no more memory than a small one.
import { DAY_MS } from '../base/durations.ts';
import { type Random, seededRandom, WeightedDraw } from '../base/seeded-random.ts';
import { GENRES, type Genre, TitleMaker } from './film-titles.ts';

export interface SampleSize {
  users: number;
  items: number;
  /** Estimated number of events. The exact number depends on the seed. */
  events: number;
}

export const SAMPLE_SIZES = {
  /** For a quick try, e.g. in a test. */
  small: { users: 600, items: 200, events: 15_000 },
  /** Small enough to train in seconds. */
  demo: { users: 2000, items: 500, events: 60_000 },
  /** The size that the console loads at one click. */
  full: { users: 8000, items: 1200, events: 300_000 },
} as const satisfies Record<string, SampleSize>;

export interface SampleOptions extends SampleSize {
  seed?: number;
  /** The newest event is no younger than this; default: now. */
  endMs?: number;
}

export const SAMPLE_TARGET_EVENT = 'watch';

export interface SampleItem {
  item_id: string;
  attributes: {
    name: string;
    genres: Genre[];
    year: number;
    price: number;
    minutes: number;
    language: string;
  };
}

export interface SampleUser {
  user_id: string;
  attributes: { age_group: string; country: string; device: string; subscription: string };
}

export interface SampleEvent {
  event_id: string;
  user_id: string;
  item_id: string;
  ts: number;
  event_type: 'view' | 'watch';
  event_value: number;
  attributes: { device: string };
}

export interface FilmSample {
  items(): Iterable<SampleItem>;
  users(): Iterable<SampleUser>;
  /** Viewer by viewer, each in order of time. */
  events(): Iterable<SampleEvent>;
}

const SPAN_DAYS = 180;
const MOODS = 4;
/** Films a viewer looked at last, without watching them. */
const MAX_LEFT_OPEN = 4;
const AGE_GROUPS = ['under 18', '18-24', '25-34', '35-49', '50-64', '65 and over'] as const;
const COUNTRIES = ['DE', 'FR', 'GB', 'IE', 'JP', 'PL', 'PT', 'US'] as const;
const LANGUAGES = ['English', 'French', 'German', 'Japanese', 'Portuguese', 'Spanish'] as const;
const DEVICES = ['phone', 'tablet', 'tv', 'web'] as const;

/** The genres a taste group likes, and the weight of the group at each age. */
const TASTES: { likes: Partial<Record<Genre, number>>; ages: number[] }[] = [
  { likes: { Action: 3, Thriller: 2, Crime: 1 }, ages: [1, 3, 3, 2, 1, 0.5] },
  { likes: { Animation: 3, Family: 3, Comedy: 1 }, ages: [5, 1, 1.5, 2, 0.5, 1] },
  { likes: { 'Science Fiction': 3, Fantasy: 2, Action: 1 }, ages: [2, 3, 2, 1, 0.5, 0.3] },
  { likes: { Romance: 3, Comedy: 2, Drama: 1 }, ages: [0.5, 2, 2, 2, 2, 1] },
  { likes: { Horror: 3, Thriller: 2 }, ages: [0.5, 3, 2, 1, 0.3, 0.1] },
  { likes: { Documentary: 3, Drama: 1.5 }, ages: [0.2, 0.5, 1, 2, 3, 4] },
  { likes: { Drama: 3, Crime: 2, Romance: 1 }, ages: [0.1, 0.7, 1.5, 2, 3, 3] },
  { likes: { Comedy: 3, Family: 1, Romance: 1 }, ages: [1, 1.5, 1.5, 2, 2, 2] },
];

interface Film extends SampleItem {
  pull: number;
  mood: number;
  /** The next part of the series, or -1. */
  sequel: number;
  firstPart: boolean;
}

interface Viewer extends SampleUser {
  taste: number;
  mood: number;
}

export function filmSample(options: SampleOptions): FilmSample {
  const seed = options.seed ?? 1;
  const endMs = options.endMs ?? Date.now();
  let films: Film[] | undefined;
  const catalog = () => {
    films ??= makeFilms(options.items, seededRandom(seed));
    return films;
  };
  return {
    *items() {
      for (const { item_id, attributes } of catalog()) yield { item_id, attributes };
    },
    *users() {
      for (let index = 0; index < options.users; index++) {
        const { user_id, attributes } = makeViewer(index, seed);
        yield { user_id, attributes };
      }
    },
    *events() {
      const draws = drawsByTaste(catalog());
      for (let index = 0; index < options.users; index++) {
        const viewer = { index, ...makeViewer(index, seed) };
        yield* viewerEvents(viewer, catalog(), draws, { ...options, seed, endMs });
      }
    },
  };
}

function makeFilms(count: number, random: Random): Film[] {
  const titles = new TitleMaker(random);
  const films: Film[] = [];
  while (films.length < count) {
    const main = random.pick(GENRES);
    const second = random.pick(GENRES);
    const genres = random.chance(0.6) && second !== main ? [main, second] : [main];
    const title = titles.make(main);
    const parts = random.chance(0.06) ? 2 + random.below(2) : 1;
    // Log-normal pull: a few films are watched by many, most by few.
    const pull = Math.exp(0.9 * random.normal());
    const mood = random.below(MOODS);
    const language = random.chance(0.6) ? 'English' : random.pick(LANGUAGES);
    let year = 1975 + Math.floor(50 * Math.sqrt(random.next()));
    for (let part = 0; part < parts && films.length < count; part++) {
      films.push({
        item_id: `film-${String(films.length + 1).padStart(4, '0')}`,
        attributes: {
          name: part === 0 ? title : `${title}: Part ${['One', 'Two', 'Three'][part]}`,
          genres,
          year,
          price: Math.round(2 + 10 * random.next() + (year > 2015 ? 3 : 0)) - 0.01,
          minutes: 75 + random.below(80),
          language,
        },
        pull: part === 0 ? pull : pull * 0.4,
        mood,
        sequel: part + 1 < parts && films.length + 1 < count ? films.length + 1 : -1,
        firstPart: part === 0,
      });
      year = Math.min(2025, year + 2 + random.below(3));
    }
  }
  return films;
}

function makeViewer(index: number, seed: number): Viewer {
  const random = seededRandom(seed * 7919 + index * 2 + 1);
  const age = random.pick([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5]);
  const taste = new WeightedDraw(TASTES.map(({ ages }) => ages[age])).draw(random);
  return {
    user_id: `viewer-${String(index + 1).padStart(5, '0')}`,
    attributes: {
      age_group: AGE_GROUPS[age],
      country: random.pick(COUNTRIES),
      device: random.pick(DEVICES),
      subscription: random.chance(0.3) ? 'premium' : 'basic',
    },
    taste,
    mood: random.below(MOODS),
  };
}

/** For each taste and mood, the chance of each film to be chosen. */
function drawsByTaste(films: Film[]): WeightedDraw[] {
  return TASTES.flatMap(({ likes }) =>
    Array.from({ length: MOODS }, (_, mood) => {
      const weights = films.map((film) => {
        const liking = film.attributes.genres.reduce((sum, genre) => sum + (likes[genre] ?? -1), 0);
        const inMood = film.mood === mood ? 1.2 : 0;
        return film.pull * Math.exp(0.8 * liking + inMood) * (film.firstPart ? 1 : 0.15);
      });
      return new WeightedDraw(weights);
    }),
  );
}

function* viewerEvents(
  viewer: Viewer & { index: number },
  films: Film[],
  draws: WeightedDraw[],
  options: Required<SampleOptions>,
): Generator<SampleEvent> {
  const random = seededRandom(options.seed * 104_729 + viewer.index * 2);
  // A few have no history yet: the model must serve them from attributes or popularity.
  if (random.chance(0.02)) return;
  // One watched film gives about 2.1 events.
  const mean = options.events / options.users / 2.1;
  const wanted = Math.min(
    Math.floor(films.length / 4),
    Math.max(2, Math.round(mean * Math.exp(0.7 * random.normal() - 0.245))),
  );
  const own = draws[viewer.taste * MOODS + viewer.mood];
  const anyTaste = draws[random.below(draws.length)];
  const watched = new Set<number>();
  const days = watchDays(wanted, random);
  let next = -1;
  let lastTs = options.endMs - SPAN_DAYS * DAY_MS;
  let eventCount = 0;
  const event = (film: number, event_type: 'view' | 'watch', ts: number): SampleEvent => ({
    event_id: `${viewer.user_id}-${++eventCount}`,
    user_id: viewer.user_id,
    item_id: films[film].item_id,
    ts,
    event_type,
    event_value: 1,
    attributes: { device: random.chance(0.8) ? viewer.attributes.device : random.pick(DEVICES) },
  });
  for (let nth = 0; nth < wanted; nth++) {
    let film = next >= 0 && random.chance(0.6) ? next : (random.chance(0.85) ? own : anyTaste).draw(random);
    for (let attempt = 0; watched.has(film) && attempt < 20; attempt++) film = own.draw(random);
    if (watched.has(film)) break;
    const ts = Math.floor(options.endMs - (SPAN_DAYS - days[nth]) * DAY_MS);
    if (random.chance(0.5)) yield event(random.chance(0.5) ? film : own.draw(random), 'view', ts - 600_000);
    if (random.chance(0.6)) yield event(film, 'view', ts - 60_000);
    watched.add(film);
    next = films[film].sequel;
    lastTs = ts;
    yield event(film, 'watch', ts);
  }
  // Most viewers leave some items they looked at for another time.
  const gapMs = (options.endMs - lastTs) / (MAX_LEFT_OPEN + 1);
  for (let nth = random.below(MAX_LEFT_OPEN + 1); nth < MAX_LEFT_OPEN; nth++) {
    const film = own.draw(random);
    if (!watched.has(film)) yield event(film, 'view', Math.floor(lastTs + gapMs * (nth + 0.5)));
  }
}

/** The days on which a viewer watches: spread from a first day to the end, never two films within a quarter of an hour. */
function watchDays(count: number, random: Random): number[] {
  const gap = 0.011;
  const firstDay = random.next() * SPAN_DAYS * 0.6;
  const room = SPAN_DAYS - firstDay - gap * count;
  const days = Array.from({ length: count }, () => firstDay + random.next() * room).sort((a, b) => a - b);
  return days.map((day, nth) => day + gap * nth);
}
