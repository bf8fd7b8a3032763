// Clustering: groups of users with similar tastes. Reading users is cut into parts; one more part finds groups among a sample.
import { SAMPLE_USERS } from '../../insight/clustering/sampled-groups.ts';
import { clusteringSteps } from '../../insight/run-clustering.ts';
import { divided } from '../parts/divide.ts';

export const cluster = divided({ ...clusteringSteps(SAMPLE_USERS), namesUsers: () => true, cutBy: () => 'users' });
