// fast-check with the same examples in every run, so that a failure is one of the change at hand. Other examples:
// KINDRED_TEST_SEED=7 npm test.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.KINDRED_TEST_SEED ?? 1) });

export { fc };
