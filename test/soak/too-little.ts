// A check of nothing always holds: what a soak must have seen at least, however short it is.
import type { CallCounts } from './ledger.ts';

const LEAST: Record<string, number> = {
  faults: 6,
  overlappingFaults: 1,
  upserts: 20,
  deletes: 3,
  merges: 3,
  jobs: 5,
  cancelledJobs: 1,
  deployments: 1,
  shutdowns: 1,
  knownReads: 100,
  overlapping: 100,
  servingReads: 100,
  switchesSeen: 1,
  jobReads: 100,
  endsSeenOnAllNodes: 3,
  listsWithoutDeleted: 5,
  shownAgain: 5,
};
/** Reads whose value is unknown check nothing. */
const LEAST_KNOWN_SHARE = 1 / 3;

export function tooLittle(counts: Record<string, number>, calls: Record<string, CallCounts>): string[] {
  const wrong = Object.entries(LEAST)
    .filter(([name, least]) => !(counts[name] >= least))
    .map(([name, least]) => `too little to check: ${name} is ${counts[name]}, not ${least} or more`);
  if (counts.knownReads < counts.operations * LEAST_KNOWN_SHARE)
    wrong.push(
      `too little to check: of ${counts.operations} operations ${counts.knownReads} are reads of known values`,
    );
  for (const [kind, { calls: made, excused }] of Object.entries(calls)) {
    if (made === excused) wrong.push(`too little to check: no ${kind} succeeded or was judged`);
  }
  return wrong;
}
