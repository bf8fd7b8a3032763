// Training as a whole on made events: two threads against one, growth with the number of events, peak memory.
// Up to 10 M events (500 k users, 50 k items); a quick run stays at 50 k.

import { heldEvents } from '../src/dataset/training-events.ts';
import { KernelPool } from '../src/kernels/kernel-pool.ts';
import { fitModel } from '../src/training/fit-model.ts';
import { peakMemoryMb } from '../src/training/train-model.ts';
import { TrainingClock } from '../src/training/training-clock.ts';
import { madeEvents } from './made-events.ts';
import { quick, report } from './report.ts';

async function seconds(events: number, users: number, items: number, threads: number) {
  const table = madeEvents(events, users, items);
  const clock = new TrainingClock();
  const pool = new KernelPool(threads);
  const started = performance.now();
  const cpu = process.cpuUsage();
  const { metrics } = await fitModel(pool, { events: heldEvents(table) }, {}, clock);
  const used = process.cpuUsage(cpu);
  await pool.close();
  return {
    wall: (performance.now() - started) / 1000,
    cpu: (used.user + used.system) / 1e6,
    phases: clock.finish().processor_seconds,
    metrics,
    events: table.length,
  };
}

const small = quick ? 50_000 : 100_000;
const one = await seconds(small * (quick ? 1 : 10), small / 2, 5000, 1);
const two = await seconds(small * (quick ? 1 : 10), small / 2, 5000, 2);
report({
  bench: 'train',
  what: `${two.events} made events, two threads against one`,
  ratio: one.wall / two.wall,
  base: 'one thread',
  figures: `${two.wall.toFixed(1)} s against ${one.wall.toFixed(1)} s; ndcg@10 ${two.metrics?.model.ndcg.toFixed(3)} against ${two.metrics?.popularity.ndcg.toFixed(3)} of popularity`,
  bar: 'at least 1.7',
  met: one.wall / two.wall >= 1.7,
});

if (!quick) {
  const million = await seconds(1_000_000, 50_000, 50_000, 2);
  const tenMillion = await seconds(10_000_000, 500_000, 50_000, 2);
  report({
    bench: 'train',
    what: `${tenMillion.events} made events of 500 k users with 50 k items`,
    ratio: tenMillion.wall / million.wall,
    base: `${million.events} events`,
    figures: `${tenMillion.wall.toFixed(0)} s (processor ${tenMillion.cpu.toFixed(0)} s) against ${million.wall.toFixed(0)} s (${million.cpu.toFixed(0)} s), peak ${peakMemoryMb()} MB; ${JSON.stringify(tenMillion.phases)}`,
    bar: 'under 600 s, under 8 GB, at most 12-fold',
    met: tenMillion.wall < 600 && peakMemoryMb() < 8000 && tenMillion.wall / million.wall <= 12,
  });
}
