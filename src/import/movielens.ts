// MovieLens' own files: `.dat` of 1M and 10M (`::`), `.csv` of the later ones, `u.*` of 100K. Known by name.
import type { RecordKind } from './import-plan.ts';
import type { CsvOptions } from './table.ts';

export interface MovieLensFile {
  kind: RecordKind;
  csv: CsvOptions;
}

const OLD_GENRES =
  'unknown Action Adventure Animation Children Comedy Crime Documentary Drama Fantasy Film-Noir Horror Musical Mystery Romance Sci-Fi Thriller War Western'.split(
    ' ',
  );

const DOUBLE_COLON = { separator: '::', quoted: false, encoding: 'latin1' };

const FILES: Record<string, MovieLensFile> = {
  'ratings.dat': { kind: 'events', csv: { ...DOUBLE_COLON, columns: ['userId', 'movieId', 'rating', 'timestamp'] } },
  'movies.dat': { kind: 'items', csv: { ...DOUBLE_COLON, columns: ['movieId', 'title', 'genres'] } },
  'users.dat': { kind: 'users', csv: { ...DOUBLE_COLON, columns: ['userId', 'gender', 'age', 'occupation', 'zip'] } },
  'ratings.csv': { kind: 'events', csv: { separator: ',' } },
  'movies.csv': { kind: 'items', csv: { separator: ',' } },
  'users.csv': { kind: 'users', csv: { separator: ',' } },
  'u.data': {
    kind: 'events',
    csv: { separator: '\t', quoted: false, columns: ['userId', 'movieId', 'rating', 'timestamp'] },
  },
  'u.item': {
    kind: 'items',
    csv: {
      separator: '|',
      quoted: false,
      encoding: 'latin1',
      columns: [
        'movieId',
        'title',
        'released',
        'video_released',
        'imdb',
        ...OLD_GENRES.map((genre) => `genre:${genre}`),
      ],
    },
  },
  'u.user': {
    kind: 'users',
    csv: { separator: '|', quoted: false, columns: ['userId', 'age', 'gender', 'occupation', 'zip'] },
  },
};

export const MOVIELENS_FILE_NAMES = Object.keys(FILES);
export const MOVIELENS_EVENT_TYPE = 'rating';

/** Says how to read a file of this name (a path or `.gz` works too); null for files without users, items or ratings. */
export function movieLensFile(path: string): MovieLensFile | null {
  const name = (path.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.gz$/, '');
  return Object.hasOwn(FILES, name) ? FILES[name] : null;
}

/** A film's title contains its year; its genres are in one cell, or in one column each. */
export function refineMovieLensItem(attributes: Record<string, unknown>): Record<string, unknown> {
  const { title, genres, video_released: _, imdb: __, ...rest } = attributes;
  const refined: Record<string, unknown> = {};
  const named = /^(.*?)\s*\((\d{4})\)\s*$/.exec(String(title ?? ''));
  if (title !== undefined) refined.name = named ? named[1] : title;
  if (named) refined.year = Number(named[2]);
  const list = Array.isArray(genres) ? genres : typeof genres === 'string' ? genres.split('|') : [];
  const flagged: string[] = [];
  for (const [key, value] of Object.entries(rest)) {
    if (!key.startsWith('genre:')) refined[key] = value;
    else if (Number(value) === 1) flagged.push(key.slice('genre:'.length));
  }
  const all = [...list, ...flagged].filter((genre) => genre !== '(no genres listed)' && genre !== 'unknown');
  if (all.length > 0) refined.genres = all;
  return refined;
}

/** Codes of MovieLens (gender, occupation, zip) are categories although some look like numbers. */
export const MOVIELENS_TEXT_COLUMNS = ['gender', 'occupation', 'zip', 'title', 'genres'];
