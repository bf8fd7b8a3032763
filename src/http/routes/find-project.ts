// The project a call is for: the one it names, or the account's default project.
import { BoundedCache, textBytes } from '../../domain/bounded-cache.ts';
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

const CACHE_BYTES = 4 * 1024 * 1024;
const PROJECT_BYTES = 1500;
const FRESH_MS = 1000;

/** The same for calls that come by the thousand: a project's datasets never change, and one that was deleted is gone a second later. */
export class RecentProjects {
  readonly #store: Pick<Store, 'accounts' | 'projects'>;
  readonly #recent = new BoundedCache<string, { project: Project; readMs: number }>({
    name: 'recent_projects',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, key) => textBytes(key) + PROJECT_BYTES,
  });

  constructor(store: Pick<Store, 'accounts' | 'projects'>) {
    this.#store = store;
  }

  find(accountId: string, projectId: string | undefined): Project | Promise<Project> {
    const key = `${accountId}/${projectId ?? ''}`;
    const recent = this.#recent.get(key);
    const nowMs = performance.now();
    if (recent !== undefined && nowMs - recent.readMs < FRESH_MS) return recent.project;
    return findProject(this.#store, accountId, projectId).then((project) => {
      this.#recent.set(key, { project, readMs: nowMs });
      return project;
    });
  }
}
