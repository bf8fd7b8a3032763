// Querying: which users prefer an attribute value, or the distribution of usage over users.
import { usersOf } from '../../insight/pieces/piece-users.ts';
import { joinQueries, QUERYING_WORK, queryUsers } from '../../insight/run-querying.ts';
import { divided } from '../parts/divide.ts';

export const query = divided({
  work: queryUsers,
  join: joinQueries,
  workShare: QUERYING_WORK,
  usersOf,
  namesUsers: () => true,
  cutBy: () => 'users',
});
