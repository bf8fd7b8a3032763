// Which project a command means: by id, by name, or the only one there is.
import type { Kindred, Project } from '../client/index.ts';
import { UsageError } from './exit-codes.ts';

export async function findProject(kindred: Kindred, idOrName: string): Promise<Project | null> {
  const named: Project[] = [];
  for await (const project of kindred.iterateProjects()) {
    if (project.project_id === idOrName) return project;
    if (project.name === idOrName) named.push(project);
  }
  if (named.length > 1) {
    const ids = named.map(({ project_id }) => project_id).join(', ');
    throw new UsageError(`${named.length} projects are called ${idOrName}: say which by its id (${ids})`);
  }
  return named[0] ?? null;
}

export async function chooseProject(kindred: Kindred, idOrName: string | undefined): Promise<Project> {
  if (idOrName !== undefined) {
    const project = await findProject(kindred, idOrName);
    if (project) return project;
    throw new UsageError(`there is no project with the id or name ${idOrName}`);
  }
  const projects: Project[] = [];
  for await (const project of kindred.iterateProjects()) {
    projects.push(project);
    if (projects.length > 20) break;
  }
  if (projects.length === 1) return projects[0];
  if (projects.length === 0) {
    throw new UsageError('there is no project yet: "kindred import FILE… --project NAME" makes one');
  }
  const list = projects.map(({ project_id, name }) => `  ${project_id}  ${name}`).join('\n');
  throw new UsageError(`several projects: say which with --project\n${list}`);
}

/** For the commands that are shown as the next step: what was said of the project has to be said again. */
export function projectFlag(given: string | undefined): string {
  return given === undefined ? '' : ` --project ${JSON.stringify(given)}`;
}
