// The project that people look at: pages without one in their address open on it, also after a reload. Each tab has its own; a new
// tab begins with the last one chosen in any of them.
import { useReducer } from 'react';
import type { Project } from '../../../src/client/index.ts';
import { useProjects } from './use-jobs.ts';

const KEY = 'kindred-project';
let chosen = stored();

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function choose(projectId: string): void {
  if (projectId === chosen) return;
  chosen = projectId;
  try {
    localStorage.setItem(KEY, projectId);
  } catch {
    // Storage may be blocked: the choice lasts until the page is reloaded.
  }
}

/** Call with each address, before its page is made. */
export function chooseByAddress(path: string): void {
  const [, projectId] = /\/(prj_\w+)/.exec(path) ?? [];
  if (projectId !== undefined) choose(projectId);
}

/** The project of the page: the one in its address, else the one chosen last, else the newest. */
export function useProjectChoice(inAddress?: string) {
  const projects = useProjects();
  const [, renderAgain] = useReducer((turn: number) => turn + 1, 0);
  const list = projects.data ?? [];
  const byId = (id: string | null | undefined): Project | undefined => list.find(({ project_id }) => project_id === id);
  return {
    projects,
    project: (byId(inAddress) ?? byId(chosen) ?? list[0]) as Project | undefined,
    pick(projectId: string) {
      choose(projectId);
      renderAgain();
    },
  };
}
