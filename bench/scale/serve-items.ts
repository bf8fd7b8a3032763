// What a model of many items takes in an API node: `node bench/scale/serve-items.ts MODEL --items 5.6 --events 6`, as bench/scale/many-items.ts
// wrote it. Loads the model and the made catalog as a node does, and asks for lists one after the other. Prints one line of JSON.
import { parseArgs } from 'node:util';
import { loadModel } from '../../src/artifact/g1-file.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { createScorer } from '../../src/scoring/create-scorer.ts';
import { G1Recommender } from '../../src/scoring/g1-recommender.ts';
import { percentile } from '../serve/load.ts';
import { itemIdOf, itemsOfUser, marketplace, marketSize } from './marketplace.ts';

const CALLS = 200;
const WARM_UP = 20;

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string', default: '5' },
    events: { type: 'string', default: '10' },
    visitors: { type: 'string', default: '0' },
  },
});
const size = marketSize(flags);
const { store } = marketplace(size);
const rssMb = () => Math.round(process.memoryUsage.rss() / 1e6);
const steps: { step: string; seconds: number; mb: number }[] = [];
async function measured<T>(step: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const result = await work();
  steps.push({ step, seconds: (performance.now() - startedMs) / 1000, mb: rssMb() });
  return result;
}

const mbBefore = rssMb();
const catalog = await measured('catalog', () => Catalog.load(store.items, 'i'));
const { model, bytes } = await measured('model', () => loadModel(positionals[0]));
const recommender = new G1Recommender(model, catalog, createScorer);
await measured('settle', () => recommender.settle());
const timesMs: number[] = [];
for (let call = 0; call < CALLS + WARM_UP; call++) {
  const history = itemsOfUser(size, (call * 7919) % size.regulars)
    .toReversed()
    .map((item, n) => ({ item_id: itemIdOf(item), event_type: 'buy', event_value: 1, ts: 1e12 - n }));
  const cpu = process.cpuUsage();
  const { items } = recommender.top({ history, attributes: {} }, { limit: 10 });
  const { user, system } = process.cpuUsage(cpu);
  if (items.length !== 10) throw new Error(`${items.length} items`);
  if (call >= WARM_UP) timesMs.push((user + system) / 1000);
}
timesMs.sort((a, b) => a - b);
const processorMs = { p50: percentile(timesMs, 0.5), p99: percentile(timesMs, 0.99) };
const counts = { catalog: catalog.itemCount, warm: model.warmItemCount, ids: model.itemIds.length };
process.stdout.write(
  `${JSON.stringify({ modelMb: Math.round(bytes / 1e6), mbBefore, steps, processorMs, ...counts })}\n`,
);
