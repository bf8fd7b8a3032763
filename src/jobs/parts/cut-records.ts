// Records of a dataset, cut by their ids into ranges of about the same number, in the order a scan reads them. A record belongs to
// one range, whatever is written or deleted while the job runs.
import type { EntityKind } from '../../domain/dataset.ts';
import type { Job } from '../../domain/job.ts';
import type { RecordRange } from '../../pieces/piece.ts';
import { ALL_IDS } from '../../store/record-store.ts';
import type { Store } from '../../store/store.ts';

/** Cuts a dataset into ranges of about `size` records, at most `most`. Returns one range if it is small or deleted. */
export async function cutRecords(
  store: Pick<Store, 'projects' | 'datasets' | 'users' | 'items'>,
  { account_id, project_id }: Pick<Job, 'account_id' | 'project_id'>,
  kind: EntityKind,
  { size, most }: { size: number; most: number },
): Promise<RecordRange[]> {
  const project = await store.projects.get(account_id, project_id);
  const datasetId = project?.[`${kind}_dataset_id`] ?? '';
  const records = (await store.datasets.get(account_id, kind, datasetId))?.num_records ?? 0;
  const parts = Math.min(Math.ceil(records / size), most);
  if (parts < 2) return [{ ...ALL_IDS, count: records }];
  const count = Math.ceil(records / parts);
  const cuts = await store[`${kind}s`].cuts(datasetId, count, parts - 1);
  return [ALL_IDS.after, ...cuts].map((after, n) => ({ after, upTo: cuts[n] ?? null, count }));
}
