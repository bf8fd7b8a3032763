// The project a call is for: the one it names, or the account's default project.
import { projectNotFound } from '../../domain/not-found.ts';
import type { Project } from '../../domain/project.ts';
import { AppError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';

export async function findProject(
  { accounts, projects }: Pick<Store, 'accounts' | 'projects'>,
  accountId: string,
  projectId: string | undefined,
): Promise<Project> {
  const id = projectId ?? (await accounts.get(accountId))?.default_project_id;
  if (!id) {
    const message = 'is required while the account has no default project';
    throw new AppError('INVALID_REQUEST', `project_id ${message}.`, { errors: [{ pointer: '/project_id', message }] });
  }
  const project = await projects.get(accountId, id);
  if (project === null) throw projectNotFound(id);
  return project;
}
