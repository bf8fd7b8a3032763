import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/durations.ts';
import { seededRandom } from '../../base/seeded-random.ts';
import type { Experiment } from '../../domain/experiment.ts';
import type { VariantUsers } from '../../store/outcome-store.ts';
import { readExperiment } from './read-experiment.ts';

const START = Date.UTC(2026, 10, 1);

function experimentOf(names: string[], change: Partial<Experiment> = {}) {
  const variants = names.map((name) => ({ name, share: 1, overrides: {} }));
  return { variants, metric: 'click' as const, min_days: 7, created_ts: START, stopped_ts: null, ...change };
}

function usersOf(variant: string, users: number, clicked: number, value = { sum: 0, squares: 0 }): VariantUsers {
  return {
    variant,
    users,
    clicked_users: clicked,
    target_users: clicked,
    value_users: clicked,
    value_sum: value.sum,
    value_squares: value.squares,
  };
}

const LATE = START + 10 * DAY_MS;

test('a clear lift wins, but not before min_days', () => {
  const users = [usersOf('today', 20_000, 2000), usersOf('new', 20_000, 2600)];
  const experiment = experimentOf(['today', 'new']);
  const late = readExperiment(experiment, users, LATE);
  assert.equal(late.winner, 'new');
  assert.match(late.sentence, /^new is better: its click rate is 30\.0% above today \(95% interval .+% to .+%\)\.$/);
  const [control, variant] = late.variants;
  assert.deepEqual([control.rate, control.lift, variant.visitors, variant.converted], [0.1, null, 20_000, 2600]);
  assert.ok(control.rate_interval![0] < 0.1 && control.rate_interval![1] > 0.1);
  assert.ok(variant.lift_interval![0] > 0);
  const early = readExperiment(experiment, users, START + DAY_MS);
  assert.equal(early.winner, null);
  assert.match(early.sentence, /It runs until Nov 8, 2026 at least\.$/);
  const stopped = readExperiment({ ...experiment, stopped_ts: START + DAY_MS }, users, START + DAY_MS);
  assert.match(stopped.sentence, /It was stopped on Nov 2, 2026, too early for a winner\.$/);
  const worse = readExperiment(experiment, [usersOf('today', 20_000, 2600), usersOf('new', 20_000, 2000)], LATE);
  assert.deepEqual([worse.winner, worse.sentence], ['today', 'today is better than the other variants in click rate.']);
});

test('visitors are counted for every metric, whatever the experiment is about', () => {
  const users = { ...usersOf('today', 100, 9), target_users: 5, value_users: 3 };
  for (const [metric, converted] of [
    ['click', 9],
    ['target', 5],
    ['value', 3],
  ] as const) {
    const [today, unseen] = readExperiment(experimentOf(['today', 'new'], { metric }), [users], LATE).variants;
    assert.equal(today.converted, converted);
    assert.deepEqual(today.visitors_with, { click: 9, target: 5, value: 3 });
    assert.deepEqual(unseen.visitors_with, { click: 0, target: 0, value: 0 });
  }
});

test('every metric has its rate and lift with intervals, and the one of the experiment decides', () => {
  const bought = { target_users: 1000, value_users: 1000, value_sum: 30_000, value_squares: 1_000_000 };
  const users = [
    { ...usersOf('today', 20_000, 2000), ...bought },
    { ...usersOf('new', 20_000, 2600), ...bought },
  ];
  const clicks = readExperiment(experimentOf(['today', 'new']), users, LATE);
  const values = readExperiment(experimentOf(['today', 'new'], { metric: 'value' }), users, LATE);
  assert.deepEqual([clicks.winner, values.winner], ['new', null]);
  for (const [n, variant] of clicks.variants.entries()) {
    const { rate, rate_interval, lift, lift_interval } = variant;
    assert.deepEqual(variant.metrics.click, { rate, rate_interval, lift, lift_interval });
    assert.deepEqual(variant.metrics, values.variants[n].metrics);
  }
  const { click, target, value } = clicks.variants[1].metrics;
  assert.deepEqual([click.rate, target.rate, value.rate], [0.13, 0.05, 1.5]);
  assert.ok(value.rate_interval![0] < 1.5 && value.rate_interval![1] > 1.5);
  assert.ok(target.lift_interval![0] < 0 && target.lift_interval![1] > 0);
});

test('little data, no difference and a wrong split are said in plain words', () => {
  const experiment = experimentOf(['today', 'new'], { metric: 'target' });
  const sentence = (users: VariantUsers[]) => readExperiment(experiment, users, LATE).sentence;
  assert.equal(sentence([]), 'No visitors yet.');
  assert.match(
    sentence([usersOf('today', 100, 30), usersOf('new', 100, 3)]),
    /^Too early to tell: each variant needs 25 visitors who .+, and new has 3\.$/,
  );
  assert.match(
    sentence([usersOf('today', 10_000, 1000), usersOf('new', 10_000, 1003)]),
    /^No clear difference yet: the conversion rate of new is between .+% below and .+% above that of today\.$/,
  );
  const lost = readExperiment(experiment, [usersOf('today', 20_000, 2000), usersOf('new', 18_000, 2600)], LATE);
  assert.deepEqual([lost.split_as_planned, lost.winner], [false, null]);
  assert.match(lost.sentence, /^Do not trust these figures/);
});

test('no variant wins while one of them has too few conversions', () => {
  const variants = Object.entries({ today: 1, filtered: 1, holdout: 0.5 }).map(([name, share]) => ({ name, share }));
  const experiment = experimentOf([], { min_days: 0, variants: variants.map((one) => ({ ...one, overrides: {} })) });
  const users = [usersOf('today', 195, 64), usersOf('filtered', 205, 153), usersOf('holdout', 100, 22)];
  const { winner, sentence, split_as_planned } = readExperiment(experiment, users, LATE);
  assert.deepEqual([winner, split_as_planned], [null, true]);
  assert.match(sentence, /^Too early to tell: .+, and holdout has 22\.$/);
});

test('a winner is better than every other variant, not only than the control', () => {
  const read = (...clicked: number[]) => {
    const names = ['today', 'new', 'new2', 'new3'].slice(0, clicked.length);
    const users = clicked.map((count, n) => usersOf(names[n], 20_000, count));
    const { winner, sentence } = readExperiment(experimentOf(names), users, LATE);
    return { winner, sentence };
  };
  assert.deepEqual(read(2000, 2600, 2610), {
    winner: null,
    sentence: 'new and new2 are both better than today in click rate, but neither is clearly the best yet.',
  });
  assert.deepEqual(read(2000, 2600, 2610, 2590), {
    winner: null,
    sentence: 'new, new2 and new3 are all better than today in click rate, but none is clearly the best yet.',
  });
  assert.deepEqual(read(2000, 2350, 2200), {
    winner: null,
    sentence: 'new is better than today in click rate, but not clearly better than every other variant yet.',
  });
  const clear = read(2000, 2600, 3200);
  assert.equal(clear.winner, 'new2');
  assert.match(clear.sentence, /^new2 is better: its click rate is 60\.0% above today/);
  assert.equal(read(3200, 2600, 2610).winner, 'today');
});

test('two equal variants that beat the control give few winners in 1,000 experiments, however often one looks', () => {
  const random = seededRandom(6);
  const names = ['today', 'a', 'b'];
  const rates = [0.1, 0.3, 0.3];
  const experiment = experimentOf(names, { min_days: 0 });
  let alarms = 0;
  for (let run = 0; run < 1000; run++) {
    const clicked = names.map(() => 0);
    for (let batch = 1; batch <= 25; batch++) {
      for (const [n, rate] of rates.entries()) {
        for (let visitor = 0; visitor < 200; visitor++) if (random.chance(rate)) clicked[n]++;
      }
      const users = names.map((name, n) => usersOf(name, batch * 200, clicked[n]));
      if (readExperiment(experiment, users, LATE).winner === null) continue;
      alarms++;
      break;
    }
  }
  assert.ok(alarms < 50, `${alarms} false winners in 1,000 experiments`);
});

test('with three variants and values, looking after every batch raises few false alarms in 1,000 experiments', () => {
  const random = seededRandom(5);
  const names = ['today', 'a', 'b'];
  const experiment = experimentOf(names, { metric: 'value', min_days: 0 });
  let alarms = 0;
  for (let run = 0; run < 1000; run++) {
    const counted = names.map(() => ({ users: 0, bought: 0, sum: 0, squares: 0 }));
    for (let batch = 0; batch < 25; batch++) {
      for (const one of counted) {
        one.users += 200;
        for (let visitor = 0; visitor < 200; visitor++) {
          if (!random.chance(0.2)) continue;
          const value = 1 + 9 * random.next();
          one.bought++;
          one.sum += value;
          one.squares += value ** 2;
        }
      }
      const users = counted.map((one, n) => usersOf(names[n], one.users, one.bought, one));
      if (readExperiment(experiment, users, LATE).winner === null) continue;
      alarms++;
      break;
    }
  }
  assert.ok(alarms < 50, `${alarms} false alarms in 1,000 experiments`);
});
