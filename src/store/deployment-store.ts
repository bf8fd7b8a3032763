// Deployments: which models serve a project. A switch has two steps, so that a model no node can load never replaces one that
// works: a CANDIDATE is announced and every API node loads it beside what it serves; when all have, it becomes ACTIVE and the
// one before RETIRED, in one transaction. Versions rise by one within a project. A candidate counts only while the job that
// made it runs: a job that ended or lost its lease leaves nothing behind that a node would follow.
import type { Deployment } from '../domain/model.ts';
import type { Lease } from './job-queue.ts';

export type DeploymentState = 'CANDIDATE' | 'ACTIVE' | 'RETIRED';
export type StoredDeployment = Deployment & { state: DeploymentState };

export interface DeploymentStore {
  /**
   * Announces a candidate, replacing what earlier attempts of the job announced. 'missing-model' when a model has been deleted
   * meanwhile, 'lost' when the lease has.
   */
  announce(lease: Lease, deployment: Omit<Deployment, 'version'>): Promise<StoredDeployment | 'missing-model' | 'lost'>;
  /** Makes the candidate the one that serves; false when the lease was lost. */
  activate(lease: Lease, candidate: Deployment): Promise<boolean>;
  /** Takes a candidate back that will not serve. */
  withdraw(candidate: Deployment): Promise<void>;
  /** Ends the project's deployment; the one that ended, or null when nothing was deployed. */
  shutDown(accountId: string, projectId: string): Promise<StoredDeployment | null>;
  active(accountId: string, projectId: string): Promise<StoredDeployment | null>;
  /** What this job made active, if it got that far before it was interrupted. */
  activatedBy(jobId: string): Promise<StoredDeployment | null>;
  /** Everything a node has to serve or to get ready for, of all projects. */
  current(): Promise<StoredDeployment[]>;
}
