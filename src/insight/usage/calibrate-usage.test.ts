import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldOutDrawer, type HeldOutDraws } from '../../artifact/held-out-draws.ts';
import { SeededRandom } from '../clustering/seeded-random.ts';
import { calibrationOf } from './calibrate-usage.ts';

const ITEMS = 200;
/** Pair 0: the first half of the items; pair 1: every tenth; item 199 is not listed. */
const SPACE = (() => {
  const listed = new Uint8Array(ITEMS).fill(1);
  listed[ITEMS - 1] = 0;
  const pairOffsets = new Uint32Array(ITEMS + 1);
  const pairs: number[] = [];
  for (let item = 0; item < ITEMS; item++) {
    if (item < ITEMS / 2) pairs.push(0);
    if (item % 10 === 0) pairs.push(1);
    pairOffsets[item + 1] = pairs.length;
  }
  return { listed, pairOffsets, pairs: Uint32Array.from(pairs), pairCount: 2 };
})();

/** Users who differ in how much they like the first half; `truth` is the factor on z by which they act, the model says 1. */
function drawsOf(users: number, truth: number): { heldOut: HeldOutDraws; firstHalf: number } {
  const random = new SeededRandom(3);
  const drawer = new HeldOutDrawer();
  let firstHalf = 0;
  for (let user = 0; user < users; user++) {
    const liking = random.gaussian() * 2;
    const z = Float32Array.from({ length: ITEMS }, (_, n) => (n < ITEMS / 2 ? liking : 0) + random.gaussian() * 0.3);
    const seen = new Set([random.below(ITEMS), random.below(ITEMS)]);
    const masses = Array.from(z, (value, item) => (seen.has(item) || item === ITEMS - 1 ? 0 : Math.exp(truth * value)));
    let point = random.unit() * masses.reduce((sum, mass) => sum + mass, 0);
    let target = 0;
    while (point >= masses[target]) point -= masses[target++];
    drawer.add(z, 1, [target], (item) => seen.has(item), [random.unit(), random.unit()]);
    firstHalf += target < ITEMS / 2 ? 1 / users : 0;
  }
  return { heldOut: drawer.finish()!, firstHalf };
}

test('users who act as the model says are found well calibrated, in each tenth too', () => {
  const { heldOut, firstHalf } = drawsOf(4000, 1);
  const report = calibrationOf(heldOut, SPACE);
  assert.equal(report.users, 4000);
  for (const pair of report.pairs) {
    assert.ok(pair!.error < 0.02, JSON.stringify(pair));
    assert.ok(pair!.error_by_tenth < 0.04, JSON.stringify(pair));
  }
  assert.ok(Math.abs(report.pairs[0]!.observed - firstHalf) < 1e-6);
  const [lowest, highest] = [report.pairs[0]!.tenths[0], report.pairs[0]!.tenths[9]];
  assert.ok(lowest.predicted < 0.1 && highest.predicted > 0.9);
});

test('a model surer of itself than it may be shows within the tenths, though the mean is right', () => {
  const { heldOut } = drawsOf(4000, 0.3);
  const [pair] = calibrationOf(heldOut, SPACE).pairs;
  assert.ok(pair!.error < 0.03, JSON.stringify(pair));
  assert.ok(pair!.error_by_tenth > 0.1, JSON.stringify(pair));
  assert.ok(pair!.tenths[0].observed > pair!.tenths[0].predicted + 0.1);
  assert.ok(pair!.tenths[9].observed < pair!.tenths[9].predicted - 0.1);
});

test('what is no longer listed does not count, and what was seen is never drawn', () => {
  const z = new Float32Array(ITEMS);
  const drawer = new HeldOutDrawer();
  drawer.add(z, 1, [ITEMS - 1], () => false, [0.5, 0.5]);
  drawer.add(z, 1, [7], (item) => item === 7, [0, 0]);
  drawer.add(z, 1, [ITEMS + 5], () => false, [0, 0]);
  for (let user = 0; user < 120; user++) drawer.add(z, 1, [3], (item) => item !== 3 && item !== 4, [0.2, 0.7]);
  const heldOut = drawer.finish()!;
  assert.equal(heldOut.targetOffsets.length - 1, 121, 'a user without an open target says nothing');
  assert.ok(heldOut.items.subarray(2 * heldOut.draws).every((item) => item === 3 || item === 4));
  const report = calibrationOf(heldOut, SPACE);
  assert.equal(report.users, 120);
  assert.deepEqual(
    report.pairs.map((pair) => [pair!.predicted, pair!.observed]),
    [
      [1, 1],
      [0, 0],
    ],
  );
});

test('without held-out events it says so and claims nothing', () => {
  assert.deepEqual(calibrationOf(null, SPACE).pairs, [null, null]);
  assert.match(calibrationOf(undefined, SPACE).method, /not known/);
  const few = calibrationOf(drawsOf(99, 1).heldOut, SPACE);
  assert.equal(few.method, 'too few users with held-out events (99)');
  assert.deepEqual(few.pairs, [null, null]);
});
