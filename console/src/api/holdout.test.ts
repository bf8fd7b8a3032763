import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithHoldout, holdoutExperiment } from './holdout.ts';

const VARIANTS = [
  { name: 'today', overrides: {} },
  { name: 'variety', overrides: { diversity: 0.3 } },
  { name: 'holdout', overrides: { kind: 'popular' } },
];

test('the running experiment with the most lists that has a holdout is compared', () => {
  const experiment = (experiment_id: string, status: string, variants = VARIANTS) => ({
    experiment_id,
    status,
    variants,
  });
  const row = (experiment_id: string | null, served: number) => ({ experiment_id, served });
  const find = (rows: object[], ...experiments: object[]) =>
    holdoutExperiment(
      rows as Parameters<typeof holdoutExperiment>[0],
      experiments as Parameters<typeof holdoutExperiment>[1],
    );
  const rows = [
    row(null, 1000),
    row('small', 10),
    row('large', 30),
    row('large', 30),
    row('plain', 90),
    row('old', 90),
  ];
  const plain = experiment('plain', 'RUNNING', VARIANTS.slice(0, 2));
  const small = experiment('small', 'RUNNING');
  assert.equal(find(rows, plain, experiment('old', 'STOPPED'), small, experiment('large', 'RUNNING')), 'large');
  assert.equal(find(rows, plain, small, experiment('unseen', 'RUNNING')), 'small');
  assert.equal(find(rows, plain, experiment('unseen', 'RUNNING')), null);
});

test('visitors of all other variants are compared with those of the holdout, by person', () => {
  const result = (name: string, visitors: number, click: number, target: number) => ({
    name,
    visitors,
    visitors_with: { click, target, value: target },
  });
  const compare = (...variants: object[]) =>
    compareWithHoldout({
      experiment_id: 'exp_1',
      name: 'Do they work?',
      variants: VARIANTS,
      results: { variants },
    } as unknown as Parameters<typeof compareWithHoldout>[0]);
  const found = compare(
    result('today', 500, 150, 40),
    result('variety', 500, 50, 10),
    result('holdout', 1000, 100, 24),
  )!;
  assert.deepEqual([found.experimentId, found.name], ['exp_1', 'Do they work?']);
  assert.deepEqual([found.clicks.rate, found.clicks.holdoutRate], [0.2, 0.1]);
  const { estimate, low, high } = found.clicks.lift!;
  assert.ok(Math.abs(estimate - 1) < 1e-9 && low > 0 && low < 0.6 && high > 1.6, `${low} to ${high}`);
  assert.deepEqual(found.conversions, { rate: 0.05, holdoutRate: 0.024, lift: null }, '24 conversions say too little');
  assert.equal(compare(result('today', 10, 1, 1), result('holdout', 0, 0, 0)), null);
});
