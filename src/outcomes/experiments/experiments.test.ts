import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../base/seeded-random.ts';
import { alwaysValidHalfWidth, alwaysValidLift, type VariantSample } from '../../domain/always-valid.ts';
import { assignVariant } from './assign-variant.ts';
import { isSplitAsPlanned, logGamma } from './sample-ratio.ts';

const ALPHA = 0.05;
const BATCH = 500;

interface Run {
  random: ReturnType<typeof seededRandom>;
  /** chance of a conversion: control, variant */
  rates: [number, number];
  batches: number;
}

/** Looks after every batch. Returns the visitors per variant at which a difference was found, and whether it was the right way. */
function lookUntilFound({ random, rates, batches }: Run): { visitors: number; isUp: boolean } | null {
  const converted = [0, 0];
  for (let batch = 1; batch <= batches; batch++) {
    for (let visitor = 0; visitor < BATCH; visitor++) {
      for (const variant of [0, 1]) if (random.chance(rates[variant])) converted[variant]++;
    }
    const [control, variant] = converted.map((count) => sampleOf(batch * BATCH, count));
    const lift = alwaysValidLift(control, variant, ALPHA);
    if (lift && (lift.low > 0 || lift.high < 0)) return { visitors: batch * BATCH, isUp: lift.low > 0 };
  }
  return null;
}

function sampleOf(visitors: number, converted: number): VariantSample {
  return { visitors, converted, sum: converted, sumOfSquares: converted };
}

test('without a true difference, looking after every batch raises few false alarms in 1,000 experiments', () => {
  for (const rate of [0.02, 0.3]) {
    const random = seededRandom(41);
    let alarms = 0;
    for (let experiment = 0; experiment < 1000; experiment++) {
      if (lookUntilFound({ random, rates: [rate, rate], batches: 60 }) !== null) alarms++;
    }
    assert.ok(alarms < 50, `${alarms} false alarms in 1,000 experiments at a rate of ${rate}`);
  }
});

test('a true lift of 10% is found with about as many visitors as theory says', () => {
  const [control, variant] = [0.3, 0.33];
  // Half of the experiments have found it when the interval around the true lift excludes 0.
  const varianceAt = (visitors: number) => ((1 - control) / control + (1 - variant) / variant) / visitors;
  let expected = BATCH;
  while (alwaysValidHalfWidth(varianceAt(expected), ALPHA) > Math.log(variant / control)) expected += 10;
  const random = seededRandom(7);
  const found = Array.from({ length: 200 }, () => lookUntilFound({ random, rates: [control, variant], batches: 200 }));
  const visitors = found.map((run) => run?.visitors ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const median = visitors[visitors.length / 2];
  assert.ok(median < 1.5 * expected && median > expected / 1.5, `${median} visitors per variant, expected ${expected}`);
  assert.ok(found.filter((run) => run !== null && !run.isUp).length <= 10);
});

test('too few conversions say nothing, and one visitor who buys a lot does not decide', () => {
  assert.equal(alwaysValidLift(sampleOf(1000, 24), sampleOf(1000, 80), ALPHA), null);
  const control = { visitors: 1000, converted: 50, sum: 500, sumOfSquares: 5000 };
  const whale = { visitors: 1000, converted: 51, sum: 500 + 2000, sumOfSquares: 5000 + 2000 ** 2 };
  const lift = alwaysValidLift(control, whale, ALPHA);
  assert.ok(lift && lift.low < 0 && lift.estimate > 1);
});

test('a visitor keeps a variant, variants get their shares, and experiments do not copy each other', () => {
  const variants = [
    { name: 'today', share: 3 },
    { name: 'new', share: 1 },
  ];
  const users = Array.from({ length: 20_000 }, (_, user) => `user-${user}`);
  const first = users.map((user) => assignVariant('exp_1', user, variants));
  assert.deepEqual(
    users.map((user) => assignVariant('exp_1', user, variants)),
    first,
  );
  const share = (names: string[]) => names.filter((name) => name === 'new').length / names.length;
  assert.ok(Math.abs(share(first) - 0.25) < 0.015);
  const inNew = users.filter((_, user) => first[user] === 'new');
  assert.ok(Math.abs(share(inNew.map((user) => assignVariant('exp_2', user, variants))) - 0.25) < 0.03);
});

test('a split as planned is not alarmed in 1,000 experiments however often one looks, a lost percent in fifty is', () => {
  const random = seededRandom(3);
  let alarms = 0;
  for (let experiment = 0; experiment < 1000; experiment++) {
    const visitors = [0, 0, 0];
    let isFine = true;
    for (let batch = 0; batch < 40 && isFine; batch++) {
      for (let visitor = 0; visitor < 250; visitor++) visitors[random.chance(0.5) ? 0 : random.chance(0.5) ? 1 : 2]++;
      isFine = isSplitAsPlanned(visitors, [2, 1, 1]);
    }
    if (!isFine) alarms++;
  }
  assert.ok(alarms <= 4, `${alarms} false alarms`);
  assert.equal(isSplitAsPlanned([100_000, 98_000], [1, 1]), false);
  assert.equal(isSplitAsPlanned([0, 0], [1, 1]), true);
});

test('the logarithm of gamma is that of factorials', () => {
  let factorial = 0;
  for (let n = 1; n <= 30; n++) {
    assert.ok(Math.abs(logGamma(n) - factorial) < 1e-11);
    factorial += Math.log(n);
  }
  assert.ok(Math.abs(logGamma(0.5) - Math.log(Math.sqrt(Math.PI))) < 1e-11);
});
