// Viewers of the sample whose taste is easy to see, for the lists the demo prints and the viewers of its shop.
import { type FilmSample, SAMPLE_TARGET_EVENT, type SampleItem } from '../sample/film-sample.ts';

/** Number of viewers to choose from. */
const LOOKED_AT = 300;
const MIN_WATCHED = 10;

export interface Tastes {
  films: Map<string, SampleItem>;
  /** One viewer per favorite genre, those with the clearest preference first. */
  clear: { user_id: string; genre: string; watched: string[] }[];
  /** A viewer without history, if there is one. */
  newcomer: string | undefined;
}

export function readTastes(sample: FilmSample): Tastes {
  const films = new Map<string, SampleItem>();
  for (const item of sample.items()) films.set(item.item_id, item);
  const watched = new Map<string, string[]>();
  for (const event of sample.events()) {
    if (event.event_type !== SAMPLE_TARGET_EVENT) continue;
    const list = watched.get(event.user_id);
    if (list) list.unshift(event.item_id);
    else if (watched.size < LOOKED_AT) watched.set(event.user_id, [event.item_id]);
    else break;
  }
  let newcomer: string | undefined;
  for (const { user_id } of sample.users()) {
    if (watched.has(user_id)) continue;
    newcomer = user_id;
    break;
  }
  return { films, clear: clearTastes(watched, films), newcomer };
}

function clearTastes(watched: Map<string, string[]>, films: Map<string, SampleItem>): Tastes['clear'] {
  const byGenre = new Map<string, { viewer: Tastes['clear'][number]; share: number }>();
  for (const [user_id, list] of watched) {
    if (list.length < MIN_WATCHED) continue;
    const counts = new Map<string, number>();
    for (const id of list) {
      for (const genre of films.get(id)?.attributes.genres ?? []) counts.set(genre, (counts.get(genre) ?? 0) + 1);
    }
    const [genre, count] = [...counts].sort((a, b) => b[1] - a[1])[0];
    const share = count / list.length;
    const viewer = { user_id, genre, watched: list };
    if (share > (byGenre.get(genre)?.share ?? 0)) byGenre.set(genre, { viewer, share });
  }
  return [...byGenre.values()].sort((a, b) => b.share - a.share).map(({ viewer }) => viewer);
}
