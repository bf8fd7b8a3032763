// Querying: which users prefer an attribute value, or the distribution of usage over users.
import { queryingSteps } from '../../insight/querying-steps.ts';
import { usersOf } from '../../pieces/piece-users.ts';
import { divided } from '../parts/divide.ts';

export const query = divided({
  ...queryingSteps,
  usersOf,
  namesUsers: () => true,
  cutBy: () => 'users',
});
