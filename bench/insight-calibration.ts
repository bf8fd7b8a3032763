// How well usage is calibrated on real data: train on what users did, predict the usage of every genre, compare with the
// genres of what they did next, which the model has not seen.
//   node bench/insight-calibration.ts FOLDER        a folder with history.txt, target.txt and items.json (MovieLens-1M, next item)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog } from '../src/catalog/catalog.ts';
import { calibrationOf } from '../src/insight/usage/calibrate-usage.ts';
import { openUsageTools } from '../src/insight/usage/usage-tools.ts';
import { eventNumbers } from '../src/insight/users/event-numbers.ts';
import { UserScan } from '../src/insight/users/scan-users.ts';
import { createScorer } from '../src/scoring/create-scorer.ts';
import { G1Recommender } from '../src/scoring/g1-recommender.ts';
import type { EventStore } from '../src/store/event-store.ts';
import type { RecordStore } from '../src/store/record-store.ts';
import { trainModel } from '../src/training/train-model.ts';
import { usageFigures } from '../src/training/usage-figures.ts';
import { errorByTenth } from '../test/support/error-by-tenth.ts';
import { report } from './report.ts';

/** Fewer say more about chance than about usage. */
const MIN_EVENTS = 500;
const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node bench/insight-calibration.ts FOLDER\n');
  process.exit(2);
}
const lines = (name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).filter(Boolean).map(Number));
const histories = lines('history.txt');
const targets = lines('target.txt').map(([item]) => item);
const films = JSON.parse(readFileSync(join(folder, 'items.json'), 'utf8')) as Record<string, [string, string[]]>;

const itemIds = Object.keys(films);
const numberOf = new Map(itemIds.map((id, number) => [Number(id), number]));
const counts = { user: histories.length, item: itemIds.length, type: 1 };
const events = {
  internedCount: async (_: string, kind: keyof typeof counts) => counts[kind],
  async *internedIds(_: string, kind: keyof typeof counts) {
    yield kind === 'user' ? histories.map((_, user) => `u${user}`) : kind === 'item' ? itemIds : ['view'];
  },
  async *scan() {
    for (const [user, history] of histories.entries()) {
      const { length } = history;
      yield {
        length,
        user: new Uint32Array(length).fill(user),
        item: Uint32Array.from(history, (item) => numberOf.get(item)!),
        type: new Uint32Array(length),
        ts: Float64Array.from({ length }, (_, n) => n),
        value: new Float64Array(length).fill(1),
      };
    }
  },
  async *attributeBlocks() {},
} as unknown as EventStore;
const items = {
  async *scan() {
    yield itemIds.map((id) => ({ id, attributes: { title: films[id][0], genres: films[id][1] } }));
  },
} as unknown as RecordStore;
const users = { async *scan() {} } as unknown as RecordStore;

const project = {
  event_dataset_id: 'e',
  item_dataset_id: 'i',
  user_dataset_id: 'u',
  target_event_type: 'view',
  account_id: 'a',
};
const { model } = await trainModel({ store: { events, items }, project, eventShards: 1, parameters: {} });

const catalog = new Catalog('i');
for (const id of itemIds) catalog.put(id, { title: films[id][0], genres: films[id][1] });
const recommender = new G1Recommender(model, catalog, createScorer);
await recommender.settle();
const genres = [...new Set(itemIds.flatMap((id) => films[id][1]))].sort();
const pairs = genres.map((genre) => ({ attribute: 'genres', value: genre }));
const tools = await openUsageTools({ model, catalog, recommender }, pairs, 2);
const { machine, mapper } = tools;
const scan = new UserScan({
  events,
  users,
  eventDatasetId: 'e',
  userDatasetId: 'u',
  blocks: events.scan('e', { from: 0, to: 1 }),
  range: { shards: { from: 0, to: 1 }, records: true, knownUsers: await events.internedCount('e', 'user'), users: 0 },
  model,
  historyLimit: recommender.historyLimit,
  nowMs: Date.now(),
  numbers: await eventNumbers({ events, eventDatasetId: 'e', model, coldIndexOf: () => -1 }),
});
await scan.readIds();
const batch = machine.batch(recommender.historyLimit);
const out = machine.output();
const observed: number[][] = genres.map(() => []);
const said: Record<'shares' | 'usages', number[][]> = { shares: genres.map(() => []), usages: genres.map(() => []) };
for await (const full of scan.histories([batch])) {
  await machine.run(full, out);
  const note = (kind: keyof typeof said) => {
    for (let row = 0; row < full.count; row++) {
      const next = films[String(targets[Number(scan.directory.at(full.first + row)!.slice(1))])];
      if (next === undefined) continue;
      for (const [pair, genre] of genres.entries()) {
        said[kind][pair].push(out[row * genres.length + pair]);
        if (kind === 'shares') observed[pair].push(next[1].includes(genre) ? 1 : 0);
      }
    }
  };
  note('shares');
  mapper.apply({ first: full.first, count: full.count, usages: out, basis: new Uint8Array(full.count) });
  note('usages');
}
await tools.close();

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const common = [...genres.keys()].filter((pair) => mean(observed[pair]) * observed[pair].length >= MIN_EVENTS);
for (const kind of ['shares', 'usages'] as const) {
  const figures = common.map((pair) => usageFigures(Float64Array.from(said[kind][pair]), observed[pair]));
  for (const [n, pair] of common.entries()) {
    const { predicted, observed: seen, slope, tenths } = figures[n];
    const byTenth = tenths.map((tenth) => `${(tenth.predicted * 100).toFixed(1)}/${(tenth.observed * 100).toFixed(1)}`);
    process.stdout.write(
      `${genres[pair].padEnd(12)} ${kind} ${predicted.toFixed(3)} observed ${seen.toFixed(3)} slope ${slope.toFixed(2)} by tenth ${errorByTenth(figures[n]).toFixed(4)}  ${byTenth.join(' ')}\n`,
    );
  }
  const error = mean(figures.map(errorByTenth));
  const slopes = figures.map(({ slope }) => slope);
  report({
    bench: 'insight-calibration',
    what: `${kind} of the ${common.length} genres with ${MIN_EVENTS} held-out events, against what ${observed[0].length} users did next`,
    ratio: null,
    base: '',
    figures: `within tenths of users off by ${error.toFixed(4)}, slope ${Math.min(...slopes).toFixed(2)} to ${Math.max(...slopes).toFixed(2)}`,
    bar: 'at most 0.02, slope 0.9 to 1.1',
    met: error <= 0.02 && slopes.every((slope) => slope >= 0.9 && slope <= 1.1),
  });
}
const own = calibrationOf(model.calibration.usage, pairs).pairs.filter((pair) => pair !== null);
report({
  bench: 'insight-calibration',
  what: `what a querying job of the same model says of itself (${model.calibration.usage?.questions ?? 0} held-out questions)`,
  ratio: null,
  base: '',
  figures: `within tenths of users off by ${mean(own.map((pair) => pair.error_by_tenth)).toFixed(4)}, slope ${Math.min(...own.map(({ slope }) => slope)).toFixed(2)} to ${Math.max(...own.map(({ slope }) => slope)).toFixed(2)}`,
});
