// Known bugs, put back one at a time: the simulation is worth what it finds.
import { CHANGE_MUTATIONS } from './change-mutations.ts';
import { JOB_MUTATIONS } from './job-mutations.ts';
import type { Mutation } from './mutation.ts';
import { SERVING_MUTATIONS } from './serving-mutations.ts';

export const MUTATIONS: readonly Mutation[] = [...SERVING_MUTATIONS, ...JOB_MUTATIONS, ...CHANGE_MUTATIONS];
