// What the ranker costs per call: processor time of the best 20 of a user, with the ranker and without it, over the same experts. In
// turns, so that a busy machine slows both alike.
import type { G1Model, MomentScoring } from '../src/artifact/g1-model.ts';
import { heldEvents } from '../src/dataset/training-events.ts';
import { KernelMemory } from '../src/kernels/kernel-memory.ts';
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import { createScorer } from '../src/scoring/create-scorer.ts';
import type { Scorer } from '../src/scoring/scorer.ts';
import { plainRules } from '../src/training/choose-rules.ts';
import { fitModel } from '../src/training/fit-model.ts';
import { TrainingClock } from '../src/training/training-clock.ts';
import { buildInteractions } from '../test/support/build-interactions.ts';
import { madeEvents } from './made-events.ts';
import { quick, report } from './report.ts';

const LIMIT = 20;
const CALLS = 200;
const ROUNDS = quick ? 5 : 41;

const events = quick ? 50_000 : 200_000;
const table = madeEvents(events, events / 20, 5000);
const pool = new KernelPool(2);
const { model } = await fitModel(pool, { events: heldEvents(table) }, {}, new TrainingClock());
await pool.close();
const ranked = Object.entries(model.moments!).find(([, scoring]) => scoring?.ranker);
if (ranked === undefined) {
  process.stdout.write('ranker: no ranker was learned on so few events\n');
} else {
  const moment = ranked[0] as 'arriving' | 'browsing';
  const own = ranked[1] as MomentScoring;
  const plain: G1Model = { ...model, moments: { [moment]: { ...own, ranker: null } } };
  const x = buildInteractions(new KernelMemory(), table, plainRules(table, {}, 1));
  const histories = Array.from({ length: CALLS }, (_, n) => {
    const user = Math.floor((n * x.userCount) / CALLS);
    const items = x.items.slice(x.userOffsets[user], x.userOffsets[user + 1]).reverse();
    const ones = { weights: new Float32Array(items.length).fill(1), seen: new Uint8Array(items.length).fill(1) };
    return { length: items.length, items, ...ones };
  });
  const out = { items: new Uint32Array(LIMIT), scores: new Float32Array(LIMIT) };
  const microseconds = (scorer: Scorer): number => {
    const before = process.cpuUsage();
    for (const history of histories) scorer.top(history, LIMIT, { moment, allow: null }, out);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CALLS;
  };
  const [withRanker, without] = [createScorer(model), createScorer(plain)];
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const rounds = Array.from({ length: ROUNDS }, () => ({ own: microseconds(withRanker), base: microseconds(without) }));
  const ratio = median(rounds.map((round) => round.own / round.base));
  report({
    bench: 'ranker',
    what: `best ${LIMIT} of a user, with the ranker (${model.experts.length} experts, ${table.length} made events)`,
    ratio,
    base: 'without it',
    figures: `${median(rounds.map((round) => round.own)).toFixed(0)} µs against ${median(rounds.map((round) => round.base)).toFixed(0)} µs of processor time per call, histories of ${(histories.reduce((sum, { length }) => sum + length, 0) / CALLS).toFixed(0)} items`,
    bar: 'at most 1.5',
    met: ratio <= 1.5,
  });
}
