// The newest check of each project's data.
import type { DataHealth } from '../domain/data-health.ts';
import type { Project } from '../domain/project.ts';

export interface HealthStore {
  /** Replaces the previous report unless that one is newer. Stores nothing for a deleted project. */
  save(project: Pick<Project, 'account_id' | 'project_id'>, report: DataHealth): Promise<void>;
  get(accountId: string, projectId: string): Promise<DataHealth | null>;
}
