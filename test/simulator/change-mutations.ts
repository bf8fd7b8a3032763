// Known bugs of roll-backs, experiments and merged users; see mutations.ts.
import type { Mutation } from './mutation.ts';

export const CHANGE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'two roll-backs at once submit two jobs',
    file: 'store/sql/sql-job-store.ts',
    from: '`${room.sql} AND NOT EXISTS (${same.sql})`',
    to: '`${room.sql} AND (TRUE OR NOT EXISTS (${same.sql}))`',
    seed: 45,
  },
  {
    name: 'a second roll-back goes forward again',
    file: 'store/sql/sql-automation-store.ts',
    from: 'Number(row.version) < firstVersion(active) &&',
    to: 'Number(row.version) < Number(active.version) &&',
  },
  {
    name: 'a roll-back goes to a model that was deleted',
    file: 'store/sql/sql-automation-store.ts',
    from: 'Number(row.is_there) === 1 &&',
    to: '',
  },
  {
    name: 'a node keeps a placement and its experiment for ever',
    file: 'serving/live-placements.ts',
    from: 'if (kept?.epoch === epoch) return kept.placement;',
    to: 'if (kept) return kept.placement;',
    seed: 56,
  },
  {
    name: 'a stop of an experiment raises no epoch',
    file: 'store/sql/sql-experiment-store.ts',
    from: `      RAISE_EPOCH,
    ]);
    const [changed, ended]`,
    to: `      { sql: 'SELECT 0 AS epoch' },
    ]);
    const [changed, ended]`,
    seed: 56,
  },
  {
    name: 'a promotion that is sent again does not wait for other nodes',
    file: 'http/routes/experiments.ts',
    from: 'await followedEverywhere(epoch ?? (await deployments.epoch()));',
    to: 'if (epoch !== null) await followedEverywhere(epoch);',
    seed: 407,
  },
  {
    name: 'a variant is promoted twice',
    file: 'store/sql/sql-experiment-store.ts',
    from: 'changePlacement(name, promote.version, isOpen)',
    to: 'changePlacement(name, promote.version)',
    seed: 370,
  },
  {
    name: 'a merge leaves cached lists of the user that gets the events',
    file: 'store/sqlite/merge-users.ts',
    from: 'changeLog.note(counts, [fromNo, intoNo], nowMs);',
    to: 'changeLog.note(counts, [fromNo], nowMs);',
    seed: 52,
  },
  {
    name: 'a merge leaves cached lists of the user that is gone',
    file: 'store/sqlite/merge-users.ts',
    from: 'changeLog.note(counts, [fromNo, intoNo], nowMs);',
    to: 'changeLog.note(counts, [intoNo], nowMs);',
  },
  {
    name: 'a user who comes back after a merge gets the number of before',
    file: 'store/known-numbers.ts',
    from: "kind === 'user' ? erasures + merges : 0",
    to: "kind === 'user' ? erasures + 0 * merges : 0",
  },
];
