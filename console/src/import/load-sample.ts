// Loads the sample catalog: creates three datasets and fills them from a generator that runs in the page.
import type { Kindred } from '../../../src/client/index.ts';
import { filmSample, SAMPLE_SIZES } from '../../../src/sample/film-sample.ts';

export interface SampleProgress {
  what: 'films' | 'viewers' | 'events';
  done: number;
  total: number;
  /** Over all three, 0 to 1. */
  fraction: number;
}

export type SampleSizeName = keyof typeof SAMPLE_SIZES;

export async function loadSample(
  client: Kindred,
  size: SampleSizeName,
  onProgress: (progress: SampleProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const counts = SAMPLE_SIZES[size];
  const sample = filmSample(counts);
  const total = counts.items + counts.users + counts.events;
  let before = 0;
  const report = (what: SampleProgress['what'], expected: number) => (progress: { submitted: number }) =>
    onProgress({
      what,
      done: progress.submitted,
      total: Math.max(expected, progress.submitted),
      fraction: Math.min(0.999, (before + progress.submitted) / total),
    });

  const items = await client.createItemDataset({ name: 'Sample films' }, { signal });
  await client.bulkUpsertItems(items.item_dataset_id, sample.items(), {
    signal,
    onProgress: report('films', counts.items),
  });
  before += counts.items;
  const users = await client.createUserDataset({ name: 'Sample viewers' }, { signal });
  await client.bulkUpsertUsers(users.user_dataset_id, sample.users(), {
    signal,
    onProgress: report('viewers', counts.users),
  });
  before += counts.users;
  const events = await client.createEventDataset({ name: 'Sample film events' }, { signal });
  await client.bulkUpsertEvents(events.event_dataset_id, sample.events(), {
    signal,
    onProgress: report('events', counts.events),
  });
}
