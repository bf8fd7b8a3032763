import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../base/seeded-random.ts';
import { meanInterval, shareInterval } from './intervals.ts';

test("a share's interval is Wilson's, and holds the true rate 95 times of 100", () => {
  const { low, high } = shareInterval(10, 100)!;
  assert.ok(Math.abs(low - 0.05522914) < 1e-7 && Math.abs(high - 0.17436566) < 1e-7, `${low} ${high}`);
  assert.equal(shareInterval(0, 0), null);
  assert.equal(shareInterval(0, 50)!.low, 0);
  assert.equal(shareInterval(60, 50)!.estimate, 1);
  const random = seededRandom(5);
  for (const [rate, trials] of [
    [0.02, 400],
    [0.5, 60],
  ]) {
    let held = 0;
    for (let run = 0; run < 2000; run++) {
      let successes = 0;
      for (let trial = 0; trial < trials; trial++) if (random.chance(rate)) successes++;
      const interval = shareInterval(successes, trials)!;
      if (interval.low <= rate && rate <= interval.high) held++;
    }
    assert.ok(held > 0.93 * 2000 && held < 0.98 * 2000, `${held} of 2000 at ${rate}`);
  }
});

test('the interval of value per list holds the true mean 95 times of 100', () => {
  const random = seededRandom(9);
  const [lists, rate] = [3000, 0.05];
  const prices = [5, 10, 40];
  let held = 0;
  for (let run = 0; run < 1000; run++) {
    let [sum, squares] = [0, 0];
    for (let list = 0; list < lists; list++) {
      if (!random.chance(rate)) continue;
      const price = random.pick(prices);
      sum += price;
      squares += price * price;
    }
    const { low, high } = meanInterval(sum, squares, lists)!;
    const mean = (rate * (5 + 10 + 40)) / 3;
    if (low <= mean && mean <= high) held++;
  }
  assert.ok(held > 930 && held < 980, `${held} of 1000`);
  assert.equal(meanInterval(0, 0, 0), null);
});

test('an interval is around its estimate', () => {
  assert.deepEqual(meanInterval(12, 0, 4), { estimate: 3, low: 3, high: 3 });
  const { estimate, low, high } = meanInterval(-8, 16, 4)!;
  assert.equal(estimate, -2);
  assert.ok(Math.abs(high - estimate - 1.959964) < 1e-6 && Math.abs(estimate - low - 1.959964) < 1e-6);
  assert.deepEqual([meanInterval(1, 1, -1), shareInterval(1, -1)], [null, null]);
  const all = shareInterval(50, 50)!;
  assert.ok(all.high === 1 && all.low < 0.95 && all.low > 0.9, `${all.low}`);
  assert.deepEqual([shareInterval(-3, 50)!.estimate, shareInterval(10, 40)!.estimate], [0, 0.25]);
});
