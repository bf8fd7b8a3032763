// Clustering: groups of users with similar tastes. Reading users is cut into parts; the first also finds groups among its users.
import { SAMPLE_USERS } from '../../insight/clustering/sampled-groups.ts';
import { clusteringSteps } from '../../insight/clustering-steps.ts';
import { usersOf } from '../../pieces/piece-users.ts';
import type { JobHandler } from '../job-handler.ts';
import { divided } from '../parts/divide.ts';

export const cluster = clusterAmong(SAMPLE_USERS);

/** `sampleUsers`: number of users on which groups are found. */
export function clusterAmong(sampleUsers: number): JobHandler {
  return divided({ ...clusteringSteps(sampleUsers), usersOf, namesUsers: () => true, cutBy: () => 'users' });
}
