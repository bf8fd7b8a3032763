// Querying: which users prefer an attribute value, or the distribution of usage over users.

import { joinQueries, QUERYING_WORK, queryUsers } from '../../insight/run-querying.ts';
import { usersOf } from '../../pieces/piece-users.ts';
import { divided } from '../parts/divide.ts';

export const query = divided({
  work: queryUsers,
  join: joinQueries,
  workShare: QUERYING_WORK,
  usersOf,
  namesUsers: () => true,
  cutBy: () => 'users',
});
