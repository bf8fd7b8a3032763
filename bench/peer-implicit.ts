// G1 compared with implicit's ALS on the same split, in one run: quality, and the time G1's whole training (tuning included) takes
// against one ALS fit and against its tuning.
import { implicitVersion, runPeer } from './quality/python.ts';
import { besideAnother, evaluate, GOWALLA, inWords, isThere } from './quality/splits.ts';
import { quick, report } from './report.ts';

const CUTOFF = 20;
const ONE_WALK = {
  experts: ['walk'],
  walk: { gamma: 1, beta: 1, delta: 0, rho: 0.4 },
  popularity: { half_life_days: 36_500 },
  validation: 'last_fifth',
};

interface Peer extends Record<string, number> {
  fit_seconds: number;
  tuning_seconds: number;
}

function compare(version: string): void {
  const peer = runPeer<Peer>('implicit_als.py', [GOWALLA.train, GOWALLA.test, String(CUTOFF)]);
  const theirs = { recall: peer[`recall@${CUTOFF}`], ndcg: peer[`ndcg@${CUTOFF}`] };
  const ours = evaluate(GOWALLA, { cutoff: CUTOFF, reading: 'order' });
  const name = `implicit ${version} ALS (64 factors, 15 iterations, tuned regularization), gowalla`;
  report({
    bench: 'peer-implicit',
    what: 'NDCG of G1 {}',
    ...besideAnother(ours, theirs, name, CUTOFF),
  });
  const whole = peer.fit_seconds + peer.tuning_seconds;
  report({
    bench: 'peer-implicit',
    what: 'seconds of G1 {} with all tuning',
    ratio: ours.seconds / whole,
    base: `${name}, with the tuning of its regularization`,
    figures: `${ours.seconds.toFixed(1)} s against ${whole.toFixed(1)} s (one fit ${peer.fit_seconds.toFixed(1)} s)`,
  });
  const walk = evaluate(GOWALLA, { cutoff: CUTOFF, reading: 'order', parameters: ONE_WALK });
  report({
    bench: 'peer-implicit',
    what: 'seconds until G1 is past the quality of ALS, by one expert alone',
    ratio: walk.trainingSeconds / peer.fit_seconds,
    base: `one fit of ${name}`,
    figures: `${walk.trainingSeconds.toFixed(1)} s for ${inWords(walk, CUTOFF)} (validation and vectors included) against ${peer.fit_seconds.toFixed(1)} s for ${inWords(theirs, CUTOFF)}`,
    bar: 'below 1',
    met: walk.trainingSeconds < peer.fit_seconds && walk.ndcg > theirs.ndcg,
  });
}

if (quick) process.stdout.write('peer-implicit: left out of a quick run: it takes minutes\n');
else if (isThere('peer-implicit', GOWALLA.train, GOWALLA.test)) {
  const version = implicitVersion('peer-implicit');
  if (version !== null) compare(version);
}
