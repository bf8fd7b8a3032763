import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorByTenth } from '../../test/support/error-by-tenth.ts';
import { logit, mapUsage } from '../artifact/usage-maps.ts';
import { seededRandom } from '../base/seeded-random.ts';
import { fitUsageMaps, type ValueEvidence } from './fit-usage-maps.ts';

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Users with true shares spread around a mean; the scores say them bent by `say`; each then takes one thing. */
function evidence(
  options: { questions: number; mean: number; seed: number; value?: string; attribute?: string },
  say: (truth: number) => number,
): ValueEvidence {
  const { next: random } = seededRandom(options.seed);
  const { questions, mean, value = 'v', attribute = 'genre' } = options;
  const said = new Float32Array(questions);
  const seen = new Float32Array(questions);
  for (let n = 0; n < questions; n++) {
    const gauss = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const truth = sigmoid(logit(mean) + 1.2 * gauss);
    said[n] = say(truth);
    seen[n] = random() < truth ? 1 : 0;
  }
  return { attribute, value, population: mean, said, seen, events: seen.reduce((sum, one) => sum + one, 0) };
}

const flattened = (mean: number) => (truth: number) => sigmoid(logit(mean) + 0.5 * (logit(truth) - logit(mean)));

test('shares that are too flat come out as what users take, in every tenth', () => {
  const maps = fitUsageMaps([evidence({ questions: 4000, mean: 0.3, seed: 1 }, flattened(0.3))])!;
  const [{ figures, map }] = maps.values;
  assert.ok(Math.abs(map.above - 2) < 0.3 && Math.abs(map.below - 2) < 0.3, JSON.stringify(map));
  assert.ok(errorByTenth(figures) < 0.02, JSON.stringify(figures));
  assert.ok(figures.slope > 0.9 && figures.slope < 1.1, JSON.stringify(figures));
  assert.ok(Math.abs(mapUsage(map, flattened(0.3)(0.9), 0.3) - 0.9) < 0.05);
  assert.ok(Math.abs(mapUsage(map, flattened(0.3)(0.1), 0.3) - 0.1) < 0.05);
});

test('shares that are right stay as they are', () => {
  const [{ map, figures }] = fitUsageMaps([
    evidence({ questions: 4000, mean: 0.2, seed: 2 }, (truth) => truth),
  ])!.values;
  for (const share of [0.02, 0.1, 0.2, 0.4, 0.8]) assert.ok(Math.abs(mapUsage(map, share, 0.2) - share) < 0.03);
  assert.ok(errorByTenth(figures) < 0.02, JSON.stringify(figures));
});

test('what is flat at the top alone is bent at the top alone', () => {
  const say = (truth: number) => (truth > 0.3 ? flattened(0.3)(truth) : truth);
  const [{ map, figures }] = fitUsageMaps([evidence({ questions: 6000, mean: 0.3, seed: 3 }, say)])!.values;
  assert.ok(map.above > 1.5 && map.below < 1.3, JSON.stringify(map));
  assert.ok(errorByTenth(figures) < 0.02, JSON.stringify(figures));
});

test('a value with little evidence follows its attribute, and an attribute with little evidence follows all', () => {
  const rich = [4, 5, 6].map((seed) =>
    evidence({ questions: 3000, mean: 0.2, seed, value: `v${seed}` }, flattened(0.2)),
  );
  const poor = evidence({ questions: 3000, mean: 0.004, seed: 7, value: 'rare' }, flattened(0.004));
  const other = evidence({ questions: 3000, mean: 0.004, seed: 8, attribute: 'brand' }, flattened(0.004));
  const { values, attributes, all } = fitUsageMaps([...rich, poor, other])!;
  const rare = values.find(({ value }) => value === 'rare')!;
  assert.ok(rare.events < 60 && rare.map.above > 1.3, JSON.stringify(rare.map));
  assert.ok(all.above > 1.5 && attributes.find(({ attribute }) => attribute === 'brand')!.map.above > 1.3);
});

test('a map is monotone, keeps 0 and 1, and never leaves them', () => {
  const worst = evidence({ questions: 500, mean: 0.3, seed: 9 }, (truth) => 1 - truth);
  const [{ map }] = fitUsageMaps([worst])!.values;
  let before = -1;
  for (let share = 0; share <= 1.0001; share += 0.01) {
    const usage = mapUsage(map, Math.min(1, share), 0.3);
    assert.ok(usage >= before && usage >= 0 && usage <= 1);
    before = usage;
  }
  assert.equal(mapUsage(map, 0, 0.3), 0);
  assert.equal(mapUsage(map, 1, 0.3), 1);
});

/** Two kinds of users, each with shares of its own of three brands; scores tell the kinds apart, and nothing else. */
function brands(options: { questions: number; choices: number; seed: number }): ValueEvidence[] {
  const { next: random } = seededRandom(options.seed);
  const truths = [
    [0.85, 0.12, 0.03],
    [0.12, 0.85, 0.03],
  ];
  const values = [0.48, 0.48, 0.04].map((population, n): ValueEvidence => {
    const [said, seen] = [new Float32Array(options.questions), new Float32Array(options.questions)];
    return { attribute: 'brand', value: `v${n}`, population, said, seen, events: 0 };
  });
  for (let question = 0; question < options.questions; question++) {
    const truth = truths[(question >> 1) & 1];
    for (const [n, { said }] of values.entries()) said[question] = (0.3 + truth[n]) / 1.9 - 0.05 + 0.05 * random();
    for (let choice = 0; choice < options.choices; choice++) {
      const draw = random();
      const chosen = draw < truth[0] ? 0 : draw < truth[0] + truth[1] ? 1 : 2;
      values[chosen].seen[question] += 1 / options.choices;
    }
  }
  return values;
}

const missOf = (values: ValueEvidence[]) => {
  const { predicted, observed } = fitUsageMaps(values)!.values[2].figures;
  return Math.abs(predicted - observed);
};

test('a rare value whose shares say nothing comes out near what was seen of it', () => {
  assert.ok(missOf(brands({ questions: 400, choices: 1, seed: 10 })) < 0.03);
});

test('what users chose of many things says more than what they chose of one', () => {
  assert.ok(missOf(brands({ questions: 400, choices: 8, seed: 10 })) < 0.01);
});

test('nothing held out gives no maps', () => {
  assert.equal(fitUsageMaps([]), null);
});
