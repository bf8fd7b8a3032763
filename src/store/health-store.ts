// The newest check of each project's data.
import type { DataHealth } from '../domain/data-health.ts';
import type { Project } from '../domain/project.ts';

export interface HealthStore {
  /** Replaces the check before it, unless that one is newer. Nothing is kept of a project that is gone. */
  save(project: Pick<Project, 'account_id' | 'project_id'>, report: DataHealth): Promise<void>;
  get(accountId: string, projectId: string): Promise<DataHealth | null>;
}
