// Opens what makes the lists of a job: the placement it works by, the columns of its table, models and catalog.
import type { Project } from '../../domain/project.ts';
import type { RecommendationJobData } from '../../domain/recommendation-job.ts';
import type { PiecePlace } from '../../pieces/piece.ts';
import type { DividedContext } from '../parts/divide.ts';
import { columnTypes } from './attribute-types.ts';
import { markedPlacement, type PlacementMark } from './job-placement.ts';
import type { ListMaker } from './list-protocol.ts';
import { ListThreads } from './list-threads.ts';
import { UserLists } from './user-lists.ts';

/** With fewer users, the lists would be made before threads have started. */
const USERS_FOR_THREADS = 2000;

/** null if the job has no placement. */
export type ListRun = DividedContext<PlacementMark | null> & PiecePlace;

/** `users` is the number for the whole job: a worker keeps what it opens for all parts, and the last part can be small. */
export async function openLists(run: ListRun, project: Project, users: number): Promise<ListMaker> {
  const { job, store, config, decided: mark } = run;
  const data = job.job_data as RecommendationJobData;
  const placement = mark === null ? null : await markedPlacement(store, job, data.placement!, mark);
  const attributes = [...(data.attributes ?? placement?.current.definition.defaults.attributes ?? [])];
  const types = await columnTypes(store, project, data.format, attributes);
  const order = { project, data, placement, attributes, types, nowMs: run.plannedMs };
  return users > USERS_FOR_THREADS ? ListThreads.open({ config, ...order }) : UserLists.open(run, order);
}
