import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { IdTable } from '../base/id-table.ts';
import { ArtifactError } from './format.ts';
import { loadModel, saveModel } from './g1-file.ts';
import type { G1Model, ItemToItemExpert, PopularityExpert } from './g1-model.ts';
import { readArtifact } from './read-artifact.ts';
import { writeArtifact } from './write-artifact.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-g1-file-'));
});
after(() => rm(folder, { recursive: true }));

const ROWS = {
  rowCount: 2,
  columnCount: 2,
  offsets: Uint32Array.of(0, 1, 2),
  columns: Uint32Array.of(1, 0),
  values: Float32Array.of(0.5, 0.25),
};

const MODEL: G1Model = {
  itemIds: ['a', 'é', "it's"],
  warmItemCount: 2,
  targetEventType: 'buy',
  typeWeights: { buy: 1, view: 0.3 },
  historyCap: 50,
  experts: [
    {
      kind: 'item-to-item',
      name: 'walk',
      rows: ROWS,
      query: { kind: 'power', rho: 0.4 },
      settings: { beta: 0.5 },
    },
    { kind: 'popularity', name: 'popularity', values: Float32Array.of(3, 1), settings: {} },
  ],
  blend: { weights: [1, 0.1], transform: { kind: 'log', c: 0.03 } },
  repeats: { rate: 0.1, recommendSeen: false },
  vectors: { dimensions: 1, values: Float32Array.of(1, -1) },
  calibration: {
    tau: 2,
    usage: {
      questions: 1000,
      all: { offset: 0, below: 1, above: 1.5 },
      attributes: [{ attribute: 'genre', map: { offset: 0.1, below: 1.2, above: 2 } }],
      values: [
        {
          attribute: 'genre',
          value: 'Drama',
          map: { offset: 0.25, below: 0.5, above: 1.75 },
          events: 120,
          figures: {
            predicted: 0.25,
            observed: 0.5,
            slope: 1,
            tenths: Array.from({ length: 10 }, (_, tenth) => ({ predicted: tenth / 16, observed: tenth / 8 })),
          },
        },
      ],
    },
  },
  coldUsers: {
    binnings: [{ attribute: 'age', handling: 'NUMERICAL', edges: [20, 40] }],
    features: ['0:0', '0:2'],
    offsets: Float32Array.of(-0.1, -0.2),
    lifts: {
      rowCount: 2,
      columnCount: 2,
      offsets: Uint32Array.of(0, 1, 1),
      columns: Uint32Array.of(1),
      values: Float32Array.of(0.7),
    },
    logPopularity: Float32Array.of(-1, -2),
    kappas: [10_000],
  },
  metrics: { cutoff: 10 },
  settings: { history_cap: 50 },
  seed: 7,
};

function plain(model: G1Model): unknown {
  return JSON.parse(
    JSON.stringify(model, (_, value) =>
      value instanceof IdTable ? idsOf(value) : ArrayBuffer.isView(value) ? [...(value as Float32Array)] : value,
    ),
  );
}

function idsOf(table: IdTable): string[] {
  return Array.from({ length: table.length }, (_, index) => table.at(index)!);
}

test('a model comes back from its file as it went in, on shared memory', async () => {
  const path = join(folder, 'model');
  const bytes = await saveModel(path, MODEL);
  const loaded = await loadModel(path);
  assert.equal(loaded.bytes, bytes);
  assert.deepEqual(plain(loaded.model), plain(MODEL));
  assert.equal(loaded.model.itemIds.indexOf("it's"), 2);
  const [walk] = loaded.model.experts;
  assert.ok(walk.kind === 'item-to-item' && walk.rows.values.buffer instanceof SharedArrayBuffer);
  await saveModel(path, loaded.model);
  assert.deepEqual(plain((await loadModel(path)).model), plain(MODEL));
});

test('a file without usage maps, as earlier versions wrote it, loads', async () => {
  const path = join(folder, 'before');
  await saveModel(path, { ...MODEL, calibration: { tau: 2 } });
  assert.deepEqual((await readArtifact(path)).meta.calibration, { tau: 2 });
  assert.deepEqual((await loadModel(path)).model.calibration, { tau: 2, usage: null });
});

test('what was learned of objectives, context, short histories and relations comes back too', async () => {
  const model: G1Model = {
    ...MODEL,
    objectives: { auto: 'any', touchStrengths: { view: 1, cart: 4 }, visitGapMs: 0, againHalfLifeDays: 30 },
    coldUsers: { ...MODEL.coldUsers!, historyWeights: { counts: [1, 5], weights: [0.5, 0.25] } },
    context: { ...MODEL.coldUsers!, kappas: [10] },
    relations: { similar: ROWS, next: ROWS },
  };
  const path = join(folder, 'learned');
  await saveModel(path, model);
  assert.deepEqual(plain((await loadModel(path)).model), plain(model));
});

test('a file written when models had a field that is gone still loads', async () => {
  const path = join(folder, 'earlier');
  const repeats = { ...MODEL.repeats, seenWeight: 0 };
  await saveModel(path, { ...MODEL, repeats });
  const { model } = await loadModel(path);
  assert.deepEqual(plain(model), plain({ ...MODEL, repeats }));
});

test('a model with a NaN or a shape that does not agree is never written', async () => {
  const path = join(folder, 'unsound');
  const [walk, popularity] = MODEL.experts as [ItemToItemExpert, PopularityExpert];
  const unsound: [G1Model, RegExp][] = [
    [{ ...MODEL, calibration: { tau: Number.NaN } }, /tau is NaN/],
    [
      {
        ...MODEL,
        calibration: { tau: 1, usage: { ...MODEL.calibration.usage!, all: { offset: 0, below: 0, above: 1 } } },
      },
      /a usage map falls/,
    ],
    [{ ...MODEL, experts: [walk] }, /no popularity expert/],
    [{ ...MODEL, blend: { ...MODEL.blend, weights: [1] } }, /differ in length/],
    [
      {
        ...MODEL,
        experts: [{ ...walk, rows: { ...walk.rows, values: Float32Array.of(1, Number.NaN) } }, popularity],
      },
      /walk holds NaN at 1/,
    ],
    [
      {
        ...MODEL,
        experts: [walk, { ...popularity, values: Float32Array.of(Infinity) }],
      },
      /holds Infinity/,
    ],
    [{ ...MODEL, warmItemCount: 9 }, /warmItemCount/],
  ];
  for (const [model, says] of unsound) await assert.rejects(saveModel(path, model), says);
  await assert.rejects(loadModel(path), /ENOENT/);
});

test('a file of another kind is refused by what it holds', async () => {
  const path = join(folder, 'other');
  await writeArtifact(path, { kind: 'g2-model', meta: {}, sections: new Map() });
  await assert.rejects(
    loadModel(path),
    (error) => error instanceof ArtifactError && /contains a g2-model/.test(error.message),
  );
});
