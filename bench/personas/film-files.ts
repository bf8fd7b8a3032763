// The sample shop of films in the three files that Gorse exports and imports, and that `kindred import` reads as they are: both
// start from the same bytes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../src/base/durations.ts';
import { filmSample, SAMPLE_SIZES } from '../../src/sample/film-sample.ts';

export const TARGET_TYPE = 'watch';
export const READ_TYPE = 'view';

export interface FilmFiles {
  readonly users: string;
  readonly items: string;
  readonly feedback: string;
  /** items that the user has no event with, most popular first and newest first */
  nonPersonal(userId: string, count: number): Set<string>;
}

export function writeFilmFiles(folder: string): FilmFiles {
  const sample = filmSample(SAMPLE_SIZES.demo);
  const nowMs = Date.now();
  const users = [...sample.users()].map(({ user_id, attributes }) => ({
    UserId: user_id,
    Labels: attributes,
    Comment: '',
  }));
  const items = [...sample.items()].map(({ item_id, attributes }, at) => {
    const { name, genres, ...labels } = attributes;
    const Timestamp = new Date(nowMs - (at + 1) * DAY_MS).toISOString();
    return { ItemId: item_id, IsHidden: false, Categories: genres, Timestamp, Labels: labels, Comment: name };
  });
  const feedback = [...sample.events()].map(({ user_id, item_id, ts, event_type }) => ({
    FeedbackType: event_type,
    UserId: user_id,
    ItemId: item_id,
    Value: 0,
    Timestamp: new Date(ts).toISOString(),
    Comment: '',
  }));
  const write = (name: string, rows: readonly object[]): string => {
    const path = join(folder, `${name}.jsonl`);
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return path;
  };
  return {
    users: write('users', users),
    items: write('items', items),
    feedback: write('feedback', feedback),
    nonPersonal(userId, count) {
      const seen = new Set(feedback.filter(({ UserId }) => UserId === userId).map(({ ItemId }) => ItemId));
      const watches = new Map<string, number>();
      for (const { ItemId, FeedbackType } of feedback) {
        if (FeedbackType === TARGET_TYPE) watches.set(ItemId, (watches.get(ItemId) ?? 0) + 1);
      }
      const newest = items.map(({ ItemId }) => ItemId);
      const popular = [...newest].sort((a, b) => (watches.get(b) ?? 0) - (watches.get(a) ?? 0));
      return new Set([newest, popular].flatMap((list) => list.filter((item) => !seen.has(item)).slice(0, count)));
    },
  };
}
