// Clustering: groups of users with similar tastes. Reading users is cut into parts; groups are found where these are joined.
import { CLUSTERING_WORK, joinPoints, readPoints } from '../../insight/run-clustering.ts';
import { divided } from '../parts/divide.ts';

export const cluster = divided({
  work: readPoints,
  join: joinPoints,
  workShare: CLUSTERING_WORK,
  namesUsers: () => true,
  cutBy: () => 'users',
});
