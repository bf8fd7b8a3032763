import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withCurrentNames } from './renamed-parameters.ts';

test('parameters of version 0.1.0 become those of today, each with a warning', () => {
  const cases: [given: object, parameters: object, warned: string[]][] = [
    [{ validation: 'last_item' }, { horizon: 'browsing' }, ['validation']],
    [{ validation: 'last_fifth' }, { horizon: 'later' }, ['validation']],
    [{ validation: 'random_fifth' }, { horizon: 'later' }, ['validation']],
    [{ validation: 'auto' }, { horizon: 'auto' }, ['validation']],
    [{ validation: 'last_item', horizon: 'later' }, { horizon: 'later' }, ['validation']],
    [{ validation_users: 5 }, {}, ['validation_users']],
    [{ value_weighting: 'none' }, { value_weighting: 'log' }, ['value_weighting']],
  ];
  for (const [given, expected, warned] of cases) {
    const { parameters, warnings } = withCurrentNames({ ...given });
    assert.deepEqual(parameters, expected);
    assert.deepEqual(
      warnings.map(({ pointer }) => pointer),
      warned.map((name) => `/algorithm_parameters/${name}`),
    );
    for (const { message } of warnings) assert.ok(message.includes(warned[0]));
  }
});

test('other parameters and unknown values are left for the parser', () => {
  for (const given of [
    {},
    { horizon: 'later', value_weighting: 'log' },
    { validation: 'toString' },
    { validation: 5 },
    { validation: ['auto'] },
  ]) {
    assert.deepEqual(withCurrentNames({ ...given }), { parameters: given, warnings: [] });
  }
});
