// Training on made events in a process of its own, so that its peak of memory is its own: `node bench/scale/train-alone.ts FILE
// MEMORY_MB [--steps] [--part-events=N]`, the file of kept-events.ts. Prints one line of JSON, and with `--steps` what each step takes as
// it ends. As many events are in memory at a time as that memory has room for, or `--part-events`; the others are in files.
// Without a store: what reading events and attributes takes is measured by bench/scale.ts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTracing, type Tracing, traced } from '../../src/base/trace.ts';
import { KernelMemory } from '../../src/kernels/kernel-memory.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { fitRelations } from '../../src/relations/fit-relations.ts';
import { fitModel } from '../../src/training/fit-model.ts';
import { heldEventsIn, kernelBytes, peakMemoryMb } from '../../src/training/train-model.ts';
import { TrainingClock } from '../../src/training/training-clock.ts';
import { readKept } from './kept-events.ts';

/** Shorter steps are not printed. */
const LEAST_SECONDS = 1;

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: { steps: { type: 'boolean' }, 'part-events': { type: 'string' } },
});
const [file, memoryMb] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'kindred-train-alone-'));
const partEvents = Number(flags['part-events'] ?? heldEventsIn(Number(memoryMb) * 1e6));
const events = await readKept(file, partEvents, folder);
if (flags.steps) {
  setTracing(stepPrinter());
  const { run } = KernelPool.prototype;
  KernelPool.prototype.run = function (kernel, ...given) {
    return traced(kernel, () => run.call(this, kernel, ...given));
  };
}
const memory = new KernelMemory(kernelBytes(Number(memoryMb) * 1e6, Math.min(events.length, partEvents)));
const pool = new KernelPool(2, { memory });
const clock = new TrainingClock(({ phase, message }) => {
  if (flags.steps) process.stderr.write(`${phase}: ${message}\n`);
});
const startedMs = performance.now();
const cpu = process.cpuUsage();
const { model } = await fitModel(pool, { events, room: { folder } }, {}, clock);
clock.begin('relations', 0.94, 'Finding which items go together');
await fitRelations(pool, events, model.seed);
const seconds = (performance.now() - startedMs) / 1000;
const used = process.cpuUsage(cpu);
const measured = {
  events: events.length,
  users: events.userCount,
  items: events.itemCount,
  seconds,
  peakMb: peakMemoryMb(),
  processorSeconds: (used.user + used.system) / 1e6,
  phases: clock.finish().processor_seconds,
  experts: model.experts.length,
  kernelMb: Math.round(memory.peakBytes / 1e6),
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
await pool.close();
rmSync(folder, { recursive: true });

function stepPrinter(): Tracing {
  let depth = 0;
  return {
    begin: () => null,
    current: () => null,
    past: () => null,
    step(name, work) {
      const begun = process.cpuUsage();
      const begunMs = performance.now();
      depth++;
      const end = (): void => {
        depth--;
        const spent = process.cpuUsage(begun);
        const seconds = (spent.user + spent.system) / 1e6;
        if (seconds < LEAST_SECONDS) return;
        const wall = (performance.now() - begunMs) / 1000;
        const mb = Math.round(process.memoryUsage.rss() / 1e6);
        process.stderr.write(
          `${'  '.repeat(depth)}${name}: ${seconds.toFixed(1)} s (wall ${wall.toFixed(1)}), ${mb} MB\n`,
        );
      };
      const result = work();
      if (result instanceof Promise) return result.finally(end) as typeof result;
      end();
      return result;
    },
  };
}
