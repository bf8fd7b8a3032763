// More seeds of the simulation (test/simulator) than `npm test` has time for.
import { test } from 'node:test';
import { noSeedBreaks } from '../simulator/no-seed-breaks.ts';

test('no seed breaks an invariant', (t) => noSeedBreaks(t, { from: 1001, seeds: 6000, maxSeconds: 40 }));
