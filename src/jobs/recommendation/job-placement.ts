// The placement of a recommendation job, as it was when the job began. Parts are given its version and experiment, which never
// change, and not the placement itself: with all its rules it can be too large for a row of each part.
import { type Job, JobFailure } from '../../domain/job.ts';
import { AppError } from '../../errors.ts';
import { type LivePlacement, LivePlacements } from '../../serving/live-placements.ts';
import type { Store } from '../../store/store.ts';

export interface PlacementMark {
  readonly version: number;
  readonly experiment_id: string | null;
}

type Stores = Pick<Store, 'placements' | 'experiments'>;
type Owner = Pick<Job, 'account_id' | 'project_id'>;

export async function markPlacement(stores: Stores, job: Owner, name: string): Promise<PlacementMark> {
  try {
    const { current, experiment } = await new LivePlacements(stores, () => 0).get(nameOf(job, name));
    return { version: current.version, experiment_id: experiment?.experiment_id ?? null };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'PLACEMENT_NOT_FOUND')) throw error;
    throw new JobFailure('PLACEMENT_NOT_FOUND', `Placement ${name} was deleted before the job ran.`);
  }
}

export async function markedPlacement(
  { placements, experiments }: Stores,
  job: Owner,
  name: string,
  { version, experiment_id }: PlacementMark,
): Promise<LivePlacement> {
  const [placement, current, experiment] = await Promise.all([
    placements.get(nameOf(job, name)),
    placements.version(nameOf(job, name), version),
    experiment_id === null ? null : experiments.get(job.account_id, job.project_id, experiment_id),
  ]);
  if (placement === null || current === null) {
    const message = `Version ${version} of placement ${name} was deleted while the job ran. Submit the job again.`;
    throw new JobFailure('PLACEMENT_NOT_FOUND', message);
  }
  return { ...placement, current, experiment };
}

const nameOf = ({ account_id, project_id }: Owner, name: string) => ({
  accountId: account_id,
  projectId: project_id,
  name,
});
