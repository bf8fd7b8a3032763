// Training on made events in a process of its own, so that its peak of memory is its own: `node bench/scale/train-alone.ts EVENTS USERS
// ITEMS MEMORY_MB`. Prints one line of JSON. Without a store: what reading events and attributes takes is measured by bench/scale.ts.
import { KernelMemory } from '../../src/kernels/kernel-memory.ts';
import { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { fitRelations } from '../../src/relations/fit-relations.ts';
import { fitModel } from '../../src/training/fit-model.ts';
import { kernelBytes, peakMemoryMb } from '../../src/training/train-model.ts';
import { TrainingClock } from '../../src/training/training-clock.ts';
import { madeEvents } from '../made-events.ts';

const [events, users, items, memoryMb] = process.argv.slice(2).map(Number);
const table = madeEvents(events, users, items);
const pool = new KernelPool(2, { memory: new KernelMemory(kernelBytes(memoryMb * 1e6, table.length)) });
const clock = new TrainingClock();
const startedMs = performance.now();
const cpu = process.cpuUsage();
const { model } = await fitModel(pool, { table }, {}, clock);
clock.begin('relations', 0.94, 'Finding which items go together');
await fitRelations(pool, table, model.seed);
const seconds = (performance.now() - startedMs) / 1000;
const used = process.cpuUsage(cpu);
const measured = {
  ...{ events: table.length, users: table.userCount, items, seconds, peakMb: peakMemoryMb() },
  ...{
    processorSeconds: (used.user + used.system) / 1e6,
    phases: clock.finish().seconds,
    experts: model.experts.length,
  },
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
await pool.close();
