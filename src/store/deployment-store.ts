// Deployments: which models serve a project.
//
//   announce ──▶ CANDIDATE ──activate──▶ ACTIVE
//                    │                      │
//            withdraw, shutDown     next activate, shutDown
//                    ▼                      ▼
//                 RETIRED ◀─────────────────┘
//
// A switch has two steps, so that a model no node can load never replaces one that works: a CANDIDATE is announced and every
// API node loads it next to what it serves; when all have, it becomes ACTIVE and the one before RETIRED, in one transaction.
// Versions rise by one within a project. A candidate counts only while the job that made it runs: a job that ended or lost its
// lease leaves nothing behind that a node would follow.
//
// A deployment that was submitted before a shutdown never serves after it. shutDown cancels every deployment job of the project
// that has not ended, waiting or running, and retires CANDIDATE and ACTIVE, in one transaction; announce and activate need the
// lease of a RUNNING job. Submitting a job and shutting down both lock the project's row, so one comes before the other.
//
// The epoch rises with every change that nodes follow. A change is acknowledged when every live node has followed its epoch.
import type { Deployment } from '../domain/model.ts';
import type { Lease } from './job-queue.ts';

export type DeploymentState = 'CANDIDATE' | 'ACTIVE' | 'RETIRED';
export type StoredDeployment = Deployment & { state: DeploymentState };

/** A deployment as an API node reads it. */
export type CurrentDeployment = StoredDeployment & {
  /** the project used by requests of the account without a project_id */
  default_project_id: string | null;
};

/**
 * A deployment that a job prepares. `qps: null` keeps the project's last rate; a first deployment gets the plan's
 * maximum.
 */
export type AnnouncedDeployment = Omit<Deployment, 'version' | 'qps'> & { qps: number | null };

export interface Shutdown {
  /** nodes that have followed this epoch no longer serve the project */
  epoch: number;
  /** deployment jobs that were canceled */
  cancelledJobs: string[];
}

export interface DeploymentStore {
  /**
   * Announces a candidate and replaces what earlier attempts of the job announced. 'missing-model' if a model was deleted
   * meanwhile, 'lost' if the lease was lost.
   */
  announce(lease: Lease, deployment: AnnouncedDeployment): Promise<StoredDeployment | 'missing-model' | 'lost'>;
  /** Makes the candidate the active deployment; false if the lease was lost. */
  activate(lease: Lease, candidate: Deployment, nowMs: number): Promise<boolean>;
  /** Withdraws a candidate that will not serve. */
  withdraw(candidate: Deployment): Promise<void>;
  /** Ends the project's active deployment and its candidates; null if there are none. */
  shutDown(accountId: string, projectId: string, nowMs: number): Promise<Shutdown | null>;
  active(accountId: string, projectId: string): Promise<StoredDeployment | null>;
  /** The deployment that this job activated, if it got that far before it was interrupted. */
  activatedBy(jobId: string): Promise<StoredDeployment | null>;
  /** Training times of the deployed models, oldest first. */
  oldestModels(limit: number): Promise<{ project_id: string; trained_ts: number }[]>;
  epoch(): Promise<number>;
  /** Every deployment of all projects that a node serves or prepares. Read the epoch before it. */
  current(): Promise<CurrentDeployment[]>;
}
