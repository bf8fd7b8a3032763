// Placements of projects and the versions of their definitions. Every change raises the epoch that nodes follow
// (deployment-store.ts): a node that has followed it serves the new version.
import type { Placement, PlacementVersion } from '../domain/placement.ts';
import type { Page, PageRequest } from './page.ts';

export interface PlacementName {
  readonly accountId: string;
  readonly projectId: string;
  readonly name: string;
}

export interface PlacementStore {
  /** Returns the epoch that nodes follow, or why the placement was not created. */
  create(placement: Placement): Promise<number | 'missing-project' | 'name-taken' | 'too-many'>;
  /** Adds a version after `version.version - 1`; null if that is not the current version any more. */
  change(name: PlacementName, version: PlacementVersion): Promise<number | null>;
  get(name: PlacementName): Promise<Placement | null>;
  /** Lists the newest placements first. */
  list(accountId: string, projectId: string, page: PageRequest): Promise<Page<Placement>>;
  /** Lists the newest versions first. The newest MAX_PLACEMENT_VERSIONS are kept. */
  versions(name: PlacementName, page: PageRequest): Promise<Page<PlacementVersion>>;
  version(name: PlacementName, version: number): Promise<PlacementVersion | null>;
  /**
   * Deletes the placement with all its versions. If an experiment runs on it, deletes nothing and returns the
   * experiment's id.
   */
  delete(name: PlacementName): Promise<DeletedPlacement | { readonly runningExperimentId: string } | null>;
}

export interface DeletedPlacement {
  readonly placement: Placement;
  readonly epoch: number;
}
