// The serving side of a model: filters over a large catalog, loading a model file, scoring one user.
// `node bench/model.ts [--quick]`

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { loadModel, saveModel } from '../src/artifact/g1-file.ts';
import type { G1Model, SparseRows } from '../src/artifact/g1-model.ts';
import { IdTable } from '../src/base/id-table.ts';
import { seededRandom } from '../src/base/seeded-random.ts';
import { Catalog } from '../src/catalog/catalog.ts';
import { createScorer } from '../src/scoring/create-scorer.ts';
import { G1Recommender } from '../src/scoring/g1-recommender.ts';
import { evaluateFilter } from '../test/support/evaluate-filter.ts';
import { parseFilter } from '../test/support/parse-filter.ts';
import { quick, report } from './report.ts';

const CATALOG_ITEMS = quick ? 100_000 : 1_000_000;
const MODEL_ITEMS = quick ? 10_000 : 40_000;
const { next: chance } = seededRandom(1);

function milliseconds(work: () => void, times = 5): number {
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < times; turn++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function attributesOf(n: number): Record<string, unknown> {
  return {
    genre: `g${Math.floor(chance() ** 2 * 30)}`,
    price: Math.round(chance() * 10_000) / 100,
    tags: Array.from({ length: 3 }, () => `t${Math.floor(chance() ** 2 * 500)}`),
    title: `the title of item ${n}`,
    stock: chance() < 0.9 ? Math.floor(chance() * 100) : null,
  };
}

function benchCatalog(): void {
  const catalog = new Catalog('items');
  const start = performance.now();
  for (let n = 0; n < CATALOG_ITEMS; n++) catalog.put(`item-${n}`, attributesOf(n));
  const seconds = (performance.now() - start) / 1000;
  const bytes = catalog.memoryBytes();
  report({
    bench: 'model',
    what: `catalog of ${CATALOG_ITEMS} items with five attributes`,
    ratio: null,
    base: '',
    figures: `${(CATALOG_ITEMS / seconds / 1000).toFixed(0)} k items/s, ${(bytes / CATALOG_ITEMS).toFixed(0)} bytes per item`,
  });
  for (const text of [
    "genre = 'g3'",
    'price < 20',
    "tags IN ('t3', 't40')",
    "title CONTAINS '77'",
    "genre = 'g3' AND price < 20 AND NOT (tags IN ('t1', 't2')) AND stock IS NOT NULL",
  ]) {
    const filter = parseFilter(text);
    let turn = 0;
    // a literal that differs keeps the selection from being remembered
    const fresh = () => catalog.select({ kind: 'or', operands: [filter, parseFilter(`item_id = 'none-${turn++}'`)] });
    const first = milliseconds(fresh);
    const again = milliseconds(() => catalog.select(filter));
    const sample = Math.min(CATALOG_ITEMS, 20_000);
    const plain = milliseconds(() => {
      for (let item = 0; item < sample; item++)
        evaluateFilter(filter, catalog.itemId(item), catalog.attributesOf(item));
    }, 2);
    report({
      bench: 'model',
      what: `filter ${text} over ${CATALOG_ITEMS} items`,
      ratio: (plain * (CATALOG_ITEMS / sample)) / first,
      base: 'faster than item by item',
      figures: `${first.toFixed(1)} ms at first, ${(again * 1000).toFixed(0)} µs when kept`,
    });
  }
}

function madeRows(rowCount: number, entriesPerRow: number): SparseRows {
  const offsets = Uint32Array.from({ length: rowCount + 1 }, (_, row) => row * entriesPerRow);
  const columns = new Uint32Array(rowCount * entriesPerRow);
  const stride = Math.floor(rowCount / entriesPerRow);
  for (let row = 0; row < rowCount; row++) {
    for (let n = 0; n < entriesPerRow; n++)
      columns[row * entriesPerRow + n] = n * stride + Math.floor(chance() * stride);
  }
  const values = Float32Array.from({ length: columns.length }, () => chance() ** 2);
  return { rowCount, columnCount: rowCount, offsets, columns, values };
}

function madeModel(items: number, entriesPerRow: number, expertCount: number): G1Model {
  const experts = Array.from({ length: expertCount }, (_, n) => ({
    kind: 'item-to-item' as const,
    name: `expert-${n}`,
    rows: madeRows(items, entriesPerRow),
    query: { kind: 'power' as const, rho: 0.4 },
    settings: {},
  }));
  return {
    itemIds: IdTable.from(Array.from({ length: items }, (_, n) => `item-${n}`)),
    warmItemCount: items,
    targetEventType: 'buy',
    typeWeights: { buy: 1 },
    historyCap: 200,
    experts: [
      ...experts,
      {
        kind: 'popularity',
        name: 'popularity',
        values: Float32Array.from({ length: items }, () => chance() ** 4),
        settings: {},
      },
    ],
    blend: { weights: [...experts.map((_, n) => 1 / (n + 1)), 0.2], transform: { kind: 'log', c: 0.03 } },
    repeats: { rate: 0, recommendSeen: false },
    vectors: { dimensions: 32, values: Float32Array.from({ length: items * 32 }, () => chance() - 0.5) },
    calibration: { tau: 5 },
    coldUsers: null,
    metrics: null,
    settings: {},
    seed: 1,
  };
}

async function benchArtifact(model: G1Model): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-bench-'));
  try {
    const path = join(folder, 'model');
    let start = performance.now();
    const bytes = await saveModel(path, model);
    const saveMs = performance.now() - start;
    let readMs = Number.POSITIVE_INFINITY;
    let loadMs = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 5; turn++) {
      start = performance.now();
      await readFile(path);
      readMs = Math.min(readMs, performance.now() - start);
      start = performance.now();
      await loadModel(path);
      loadMs = Math.min(loadMs, performance.now() - start);
    }
    report({
      bench: 'model',
      what: `load a model file of ${(bytes / 1e6).toFixed(0)} MB, checksums verified`,
      ratio: loadMs / readMs,
      base: 'the time of reading the file',
      figures: `${loadMs.toFixed(0)} ms (${(bytes / 1e6 / loadMs).toFixed(2)} GB/s); written and synced in ${saveMs.toFixed(0)} ms`,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function benchScoring(model: G1Model): void {
  const catalog = new Catalog('items');
  for (let item = 0; item < model.itemIds.length; item++) catalog.put(model.itemIds.at(item)!, { n: item % 10 });
  const recommender = new G1Recommender(model, catalog, createScorer);
  const history = Array.from({ length: 50 }, (_, n) => ({
    item_id: `item-${Math.floor(chance() * model.itemIds.length)}`,
    event_type: 'buy',
    event_value: 1,
    ts: 1000 - n,
  }));
  const user = { history, attributes: {} };
  const allow = catalog.select(parseFilter('n < 3'));
  const microseconds = (work: () => void, turns = 300) => {
    for (let turn = 0; turn < 50; turn++) work();
    const each = milliseconds(() => {
      for (let turn = 0; turn < turns; turn++) work();
    });
    return (each / turns) * 1000;
  };
  const items = Uint32Array.from({ length: model.warmItemCount }, (_, item) => item);
  const all = microseconds(() => recommender.scoreCandidates(user, items), 50);
  const top = microseconds(() => recommender.top(user, { limit: 20 }));
  const filtered = microseconds(() => recommender.top(user, { limit: 20, allow }));
  const explained = microseconds(() => recommender.top(user, { limit: 20, explain: true }), 20);
  const cold = microseconds(() => recommender.top({ history: [], attributes: {} }, { limit: 20 }));
  const bytes = allocatedBytes(() => recommender.top(user, { limit: 20 }));
  report({
    bench: 'model',
    what: `best 20 of ${model.warmItemCount} items for a history of 50`,
    ratio: all / top,
    base: 'faster than scoring every item',
    figures:
      `${top.toFixed(0)} µs, with a filter ${filtered.toFixed(0)} µs, with reasons ${explained.toFixed(0)} µs, ` +
      `without history ${cold.toFixed(0)} µs; ${bytes.toFixed(0)} bytes allocated per call`,
  });
  benchScorer(model, top, microseconds);
}

/** The scorer alone, from item indices to item indices: what is left of the call when nothing is made for the response. */
function benchScorer(model: G1Model, callUs: number, microseconds: (work: () => void) => number): void {
  const scorer = createScorer(model);
  const history = {
    length: 50,
    items: Uint32Array.from({ length: 50 }, () => Math.floor(chance() * model.warmItemCount)),
    weights: new Float32Array(50).fill(1),
    seen: new Uint8Array(50).fill(1),
  };
  const items = new Uint32Array(20);
  const scores = new Float32Array(20);
  const score = () => void scorer.top(history, 20, { allow: null }, { items, scores });
  const scorerUs = microseconds(score);
  report({
    bench: 'model',
    what: `the scorer alone, best 20 of ${model.warmItemCount} items for a history of 50`,
    ratio: scorerUs / callUs,
    base: 'the time of the whole call',
    figures: `${scorerUs.toFixed(0)} µs; ${allocatedBytes(score).toFixed(0)} bytes allocated per call`,
  });
}

/** Bytes of heap one call takes, by V8's own count. */
function allocatedBytes(work: () => void): number {
  const turns = 2000;
  const before = getHeapStatistics().total_allocated_bytes;
  for (let turn = 0; turn < turns; turn++) work();
  return (getHeapStatistics().total_allocated_bytes - before) / turns;
}

benchCatalog();
const model = madeModel(MODEL_ITEMS, 100, 4);
await benchArtifact(model);
benchScoring(model);
