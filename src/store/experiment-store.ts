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
  /** The epoch nodes follow, or why it was not created. Deletes the oldest that have ended beyond MAX_EXPERIMENTS. */
  create(experiment: Experiment): Promise<number | 'missing-placement' | 'running'>;
  get(accountId: string, projectId: string, experimentId: string): Promise<Experiment | null>;
  /** Lists the newest experiments first, of one placement or of all. */
  list(
    accountId: string,
    projectId: string,
    placement: string | undefined,
    page: PageRequest,
  ): Promise<Page<Experiment>>;
  /** The one that runs on a placement. */
  running(placement: PlacementName): Promise<Experiment | null>;
  /** Running experiments of all accounts, ordered by id, starting after the given one. */
  allRunning(afterExperimentId: string, limit: number): Promise<Experiment[]>;
  /** The epoch; null when the placement has another version by now, and nothing was changed. Stopping again changes only what is promoted. */
  stop(experiment: Experiment, end: ExperimentEnd): Promise<number | null>;
  /** Keeps the first decision and announces it. */
  decide(experiment: Experiment, decision: ExperimentDecision): Promise<boolean>;
  /** The newest figures of an hour replace those before. */
  keepPoint(experimentId: string, point: ExperimentPoint): Promise<void>;
  /** Points in order of time, oldest first. */
  points(experimentId: string): Promise<ExperimentPoint[]>;
  /**
   * Deletes some of the rows about users of experiments that ended before this time or are gone. Their sums stay while their
   * project is there. False: none is left.
   */
  removeEndedUsers(endedBeforeTs: number): Promise<boolean>;
}
