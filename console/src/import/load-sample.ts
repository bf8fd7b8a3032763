// Loads the sample catalog: creates three datasets and fills them from a generator that runs in the page.
import type { Kindred } from '../../../src/client/index.ts';
import type { RecordKind } from '../../../src/domain/import-job.ts';
import { createDataset, MIN_SHARDS } from '../../../src/import/import-target.ts';
import { filmSample, SAMPLE_SIZES } from '../../../src/sample/film-sample.ts';

export interface SampleProgress {
  what: 'films' | 'viewers' | 'events';
  done: number;
  total: number;
  /** Over all three, 0 to 1. */
  fraction: number;
}

export type SampleSizeName = keyof typeof SAMPLE_SIZES;

/** Ids of the datasets that were created. */
export type SampleDatasets = Partial<Record<RecordKind, string>>;

/** Loading again after it was interrupted fills the same `datasets`. */
export async function loadSample(
  client: Kindred,
  { size, datasets }: { size: SampleSizeName; datasets: SampleDatasets },
  onProgress: (progress: SampleProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const counts = SAMPLE_SIZES[size];
  const sample = filmSample(counts);
  const total = counts.items + counts.users + counts.events;
  let before = 0;
  const optionsOf = (what: SampleProgress['what'], expected: number) => ({
    signal,
    onProgress: (progress: { submitted: number }) =>
      onProgress({
        what,
        done: progress.submitted,
        total: Math.max(expected, progress.submitted),
        fraction: Math.min(0.999, (before + progress.submitted) / total),
      }),
  });
  const datasetOf = async (kind: RecordKind, name: string) => {
    datasets[kind] ??= await createDataset(client, { kind, name, numShards: MIN_SHARDS });
    return datasets[kind];
  };

  const items = await datasetOf('items', 'Sample films');
  await client.bulkUpsertItems(items, sample.items(), optionsOf('films', counts.items));
  before += counts.items;
  const users = await datasetOf('users', 'Sample viewers');
  await client.bulkUpsertUsers(users, sample.users(), optionsOf('viewers', counts.users));
  before += counts.users;
  const events = await datasetOf('events', 'Sample film events');
  await client.bulkUpsertEvents(events, sample.events(), optionsOf('events', counts.events));
}
