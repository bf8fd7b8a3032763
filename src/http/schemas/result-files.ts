// The JSON of a result file in the API reference. The writers (src/insight) stream it; a test compares the two.
import { Type } from 'typebox';
import { QUERY_TYPES } from '../../domain/insight-request.ts';
import { nullable, oneOf, open } from './common.ts';
import { DistributionQuery, ListQuery } from './insight.ts';
import { openAs } from './named.ts';

const Share = Type.Number({ minimum: 0, maximum: 1 });
const Basis = oneOf(['history', 'attributes', 'popularity'], {
  description:
    'What the usage is based on. popularity: nothing is known about the user, so the average of all users is used.',
});

const Calibration = nullable(
  openAs('Calibration', {
    predicted: Share,
    observed: Share,
    error: Type.Number({
      description: '|predicted − observed| over all users compared, on events held out when the model was trained.',
    }),
    tenths: Type.Array(open({ predicted: Share, observed: Share }), {
      description: 'The same within each tenth of users by predicted usage, lowest first.',
    }),
    error_by_tenth: Type.Number({ description: 'Mean over the tenths of |predicted − observed|.' }),
    slope: Type.Number({
      description: 'Slope of observed on predicted usage over users: 1 if users differ as much as predicted.',
    }),
  }),
);

const head = {
  job_id: Type.String(),
  project_id: Type.String(),
  model_id: Type.String(),
  created_ts: Type.Integer(),
  total_users: Type.Integer({ description: 'Users of the user dataset and users with events.' }),
  population_users: Type.Integer({
    description: 'Users about whom nothing is known; in a clustering result, users without usable events.',
  }),
  message: Type.String({ description: 'The result in one sentence.' }),
};
const Note = nullable(Type.String({ description: 'That no item has the value, so the usage of all users is 0.' }));
const CalibrationMethod = openAs('CalibrationMethod', {
  method: Type.String({ description: 'Where the observed events come from, or why there are none.' }),
  users: Type.Integer({
    description: 'Comparisons made; a user whose last items were held out one by one counts once per item.',
  }),
});

export const UserListResult = openAs('UserListResult', {
  ...head,
  query_type: oneOf([QUERY_TYPES[0]]),
  calibration: CalibrationMethod,
  queries: Type.Array(
    open({
      query: ListQuery,
      count: Type.Integer(),
      note: Note,
      calibration: Type.Array(Calibration, { description: 'One per condition.' }),
      users: Type.Array(open({ user_id: Type.String(), usage: Share, usages: Type.Array(Share), basis: Basis }), {
        description: 'Highest usage of the first condition first; usages has one entry per condition.',
      }),
    }),
  ),
});

export const UserDistributionResult = openAs('UserDistributionResult', {
  ...head,
  query_type: oneOf([QUERY_TYPES[1]]),
  calibration: CalibrationMethod,
  queries: Type.Array(
    open({
      query: DistributionQuery,
      bins: Type.Integer(),
      edges: Type.Array(Share, {
        description: 'bins + 1 edges from 0 to the largest usage, or to 1 if the usage of all users is 0.',
      }),
      counts: Type.Array(Type.Integer(), { description: 'Users in each bin.' }),
      mean: Share,
      median: Share,
      min: Share,
      max: Share,
      total_users: Type.Integer(),
      note: Note,
      calibration: Calibration,
    }),
  ),
});

export const ClusteringResult = openAs('ClusteringResult', {
  ...head,
  cluster_type: oneOf(['user']),
  parameters: open({
    min_user_num: Type.Integer(),
    num_clusters: nullable(Type.Integer()),
    seed: Type.Integer(),
  }),
  num_groups: Type.Integer(),
  silhouette: nullable(
    Type.Number({ description: 'How clear the groups are, −1 to 1; null if their number was given.' }),
  ),
  tried: Type.Array(open({ num_clusters: Type.Integer(), silhouette: Type.Number() })),
  groups: Type.Array(
    openAs('UserGroup', {
      group_id: Type.Integer({ description: '1 is the largest.' }),
      label: Type.String(),
      size: Type.Integer(),
      share: Share,
      top_items: Type.Array(
        open({ item_id: Type.String(), name: nullable(Type.String()), share: Share, lift: Type.Number() }),
      ),
      attributes: Type.Array(
        open({
          attribute: Type.String(),
          value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
          usage: Type.Number({
            minimum: 0,
            maximum: 1,
            description: 'Mean share in the group, without the correction that usages of querying jobs have.',
          }),
          average: Type.Number({ minimum: 0, maximum: 1, description: 'The same over all groups, by their size.' }),
          lift: Type.Number({ description: 'usage / average' }),
        }),
      ),
      user_ids: Type.Array(Type.String()),
    }),
  ),
  unassigned: open({
    count: Type.Integer(),
    group_too_small: Type.Integer(),
    no_history: Type.Integer(),
    user_ids: Type.Array(Type.String()),
  }),
  map: Type.Array(
    open({ user_id: Type.String(), group_id: nullable(Type.Integer()), x: Type.Number(), y: Type.Number() }),
    { description: 'A sample of users on a plane; close points have similar taste.' },
  ),
});

export const ResultFile = Type.Union([UserListResult, UserDistributionResult, ClusteringResult]);
