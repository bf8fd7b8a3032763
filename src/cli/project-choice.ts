// Resolves the project of a command: by id, by name, or the only one there is.
import type { Kindred, Project } from '../client/index.ts';
import { UsageError } from './exit-codes.ts';

export async function findProject<Known extends Pick<Project, 'project_id' | 'name'>>(
  projects: AsyncIterable<Known>,
  idOrName: string,
): Promise<Known | null> {
  const named: Known[] = [];
  for await (const project of projects) {
    if (project.project_id === idOrName) return project;
    if (project.name === idOrName) named.push(project);
  }
  if (named.length > 1) {
    const ids = named.map(({ project_id }) => project_id).join(', ');
    throw new UsageError(`${named.length} projects are named ${idOrName}. Choose one by id (${ids})`);
  }
  return named[0] ?? null;
}

export async function chooseProject(kindred: Kindred, idOrName: string | undefined): Promise<Project> {
  if (idOrName !== undefined) {
    const project = await findProject(kindred.iterateProjects(), idOrName);
    if (project) return project;
    throw new UsageError(`project ${idOrName} was not found`);
  }
  const projects: Project[] = [];
  for await (const project of kindred.iterateProjects()) {
    projects.push(project);
    if (projects.length > 20) break;
  }
  if (projects.length === 1) return projects[0];
  if (projects.length === 0) {
    throw new UsageError('there is no project yet. Create one with: kindred import FILE… --project NAME');
  }
  const list = projects.map(({ project_id, name }) => `  ${project_id}  ${name}`).join('\n');
  throw new UsageError(`there are several projects. Choose one with --project\n${list}`);
}

/** The --project option for the command suggested as the next step. */
export function projectFlag(given: string | undefined): string {
  return given === undefined ? '' : ` --project ${JSON.stringify(given)}`;
}
