// The project a call is for: the one it names, or the account's default project.

import { BoundedCache, textBytes } from '../base/bounded-cache.ts';
import { projectNotFound } from '../domain/not-found.ts';
import type { Project } from '../domain/project.ts';
import { invalidField } from '../errors.ts';
import type { ProjectStore } from '../store/registry-store.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from './route.ts';

type Projects = Pick<Store, 'accounts' | 'projects'>;

export async function findProject(store: Projects, accountId: string, projectId: string | undefined): Promise<Project> {
  return projectById(store.projects, accountId, projectId ?? (await defaultProjectId(store, accountId)));
}

async function defaultProjectId({ accounts }: Projects, accountId: string): Promise<string> {
  const id = (await accounts.get(accountId))?.default_project_id;
  if (id) return id;
  const message = 'is required while the account has no default project';
  throw invalidField('/project_id', message);
}

export async function projectById(projects: ProjectStore, accountId: string, projectId: string): Promise<Project> {
  const project = await projects.get(accountId, projectId);
  if (project === null) throw projectNotFound(projectId);
  return project;
}

/** The project that a call names. A browser key gives access to its own project only. */
export function projectOf(
  named: string | undefined,
  { onlyProjectId }: Pick<Caller, 'onlyProjectId'>,
): string | undefined {
  if (onlyProjectId === undefined || named === undefined || named === onlyProjectId) return onlyProjectId ?? named;
  throw projectNotFound(named);
}

const CACHE_BYTES = 4 * 1024 * 1024;
const PROJECT_BYTES = 1500;
const FRESH_MS = 1000;

/**
 * Caches projects for calls that come by the thousand: a project's datasets never change, and a deleted project is gone from the
 * cache a second later. The default project is looked up each time. `nowMs` is on a monotonic clock.
 */
export class RecentProjects {
  readonly #store: Projects;
  readonly #recent = new BoundedCache<string, { project: Project; readMs: number }>({
    name: 'recent_projects',
    maxBytes: CACHE_BYTES,
    bytesOf: (_, key) => textBytes(key) + PROJECT_BYTES,
  });

  constructor(store: Projects) {
    this.#store = store;
  }

  find(accountId: string, projectId: string | undefined, nowMs: number): Project | Promise<Project> {
    if (projectId !== undefined) return this.#named(accountId, projectId, nowMs);
    return defaultProjectId(this.#store, accountId).then((id) => this.#named(accountId, id, nowMs));
  }

  #named(accountId: string, projectId: string, nowMs: number): Project | Promise<Project> {
    const key = `${accountId}/${projectId}`;
    const recent = this.#recent.get(key);
    if (recent !== undefined && nowMs - recent.readMs < FRESH_MS) return recent.project;
    return projectById(this.#store.projects, accountId, projectId).then((project) => {
      this.#recent.set(key, { project, readMs: nowMs });
      return project;
    });
  }
}
