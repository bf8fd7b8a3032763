// Experiments of placements. Starting and stopping one raises the epoch that nodes follow (deployment-store.ts).
import type { Experiment, ExperimentDecision } from '../domain/experiment.ts';
import type { PlacementVersion } from '../domain/placement.ts';
import type { VariantUsers } from './outcome-store.ts';
import type { Page, PageRequest } from './page.ts';
import type { PlacementName } from './placement-store.ts';

/** The counts of an experiment at the end of one hour. */
export interface ExperimentPoint {
  /** hours since 1970 */
  readonly hour: number;
  readonly users: readonly VariantUsers[];
}

/** How an experiment ends. */
export interface ExperimentEnd {
  readonly nowMs: number;
  /** the variant whose overrides the placement gets, in the version that comes next */
  readonly promote: { readonly variant: string; readonly version: PlacementVersion } | null;
}

export interface ExperimentStore {
  /**
   * Returns the epoch that nodes follow, or why the experiment was not created. Deletes the oldest ended ones above
   * MAX_EXPERIMENTS.
   */
  create(experiment: Experiment): Promise<number | 'missing-placement' | 'running'>;
  get(accountId: string, projectId: string, experimentId: string): Promise<Experiment | null>;
  /** Lists the newest experiments first, of one placement or of all. */
  list(
    accountId: string,
    projectId: string,
    placement: string | undefined,
    page: PageRequest,
  ): Promise<Page<Experiment>>;
  /** Returns the experiment that runs on a placement. */
  running(placement: PlacementName): Promise<Experiment | null>;
  /** Running experiments of all accounts, ordered by id, starting after the given one. */
  allRunning(afterExperimentId: string, limit: number): Promise<Experiment[]>;
  /**
   * Returns the epoch; null if the placement has another version by now, in which case nothing was changed. Stopping again only
   * changes what is promoted.
   */
  stop(experiment: Experiment, end: ExperimentEnd): Promise<number | null>;
  /** Stores the first decision and announces it. */
  decide(experiment: Experiment, decision: ExperimentDecision): Promise<boolean>;
  /** Newer figures of the same hour replace older ones. */
  keepPoint(experimentId: string, point: ExperimentPoint): Promise<void>;
  /** Points in order of time, oldest first. */
  points(experimentId: string): Promise<ExperimentPoint[]>;
  /**
   * Deletes some of the rows about users of experiments that ended before this time or were deleted. Their sums remain until
   * their project is deleted. False: none is left.
   */
  removeEndedUsers(endedBeforeTs: number): Promise<boolean>;
}
