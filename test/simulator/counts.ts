// What happened in seeds, as numbers: where one of them is 0 over many seeds, the checks about it have seen nothing.
export const NO_COUNTS = {
  steps: 0,
  faults: 0,
  lostMessages: 0,
  pause: 0,
  suspend: 0,
  kill: 0,
  cut: 0,
  clock: 0,
  stop: 0,
  calls: 0,
  responses: 0,
  excused: 0,
  none: 0,
  shutdowns: 0,
  deletedModels: 0,
  shown: 0,
  experiments: 0,
  promotions: 0,
  rollBacks: 0,
  jobs: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  partsDone: 0,
  joined: 0,
  switches: 0,
  swept: 0,
  delivered: 0,
};

export type Counts = { [Name in keyof typeof NO_COUNTS]: number };

export function sumOf(all: readonly Readonly<Counts>[]): Counts {
  const sum = { ...NO_COUNTS };
  for (const counts of all) {
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
  }
  return sum;
}

/** What never happened. */
export const missingOf = (counts: Readonly<Counts>): string[] =>
  Object.keys(counts).filter((name) => counts[name as keyof Counts] === 0);
