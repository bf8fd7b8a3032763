// The kernels that serving, measuring and insight spend their time in, on a made model.

import type { ItemToItemExpert } from '../../src/artifact/g1-model.ts';
import { seededRandom } from '../../src/base/seeded-random.ts';
import { plainAssign, seedCentroids } from '../../src/insight/clustering/k-means.ts';
import { kernelAssign } from '../../src/insight/clustering/kernel-assign.ts';
import { UsageMachine } from '../../src/insight/usage/usage-machine.ts';
import { usageSpace } from '../../src/insight/usage/usage-space.ts';
import type { KernelPool } from '../../src/kernels/kernel-pool.ts';
import { buildSearchBlock, buildUsersBlock } from '../../src/scoring/question-block.ts';
import { buildScoreBlock } from '../../src/scoring/score-block.ts';
import { expertLanes } from '../../src/scoring/score-lanes.ts';
import {
  collectCandidates,
  type PlainHistory,
  type PlainScoring,
  recommend,
  scoresOf,
} from '../../test/support/kernel-twins/scoring.ts';
import { makeModel } from '../serve/made-model.ts';
import { GROUP_ITEMS } from '../serve/made-project.ts';
import type { KernelCase } from './measure.ts';

const USERS = 200;
const LENGTH = 50;
const LIMIT = 20;
const PER_LANE = 60;
const VALUES = 20;
/** Users that the slow twins score. */
const FEW = 3;

export async function* scoringCases(pool: KernelPool, items: number): AsyncGenerator<KernelCase> {
  const { memory, kernels } = pool;
  const model = makeModel(items);
  const lanes = expertLanes(memory, model, model.historyCap);
  const [{ weights: laneWeights, logConstant: c }] = lanes.scorings;
  const block = buildScoreBlock(memory, {
    ...lanes,
    weights: laneWeights,
    itemCount: items,
    logConstant: c,
  });
  const random = seededRandom(1);
  const histories = Array.from({ length: USERS }, (): PlainHistory => {
    const group = random.below(Math.floor(items / GROUP_ITEMS)) * GROUP_ITEMS;
    const chosen = new Set<number>();
    while (chosen.size < LENGTH)
      chosen.add(random.next() < 0.8 ? group + random.below(GROUP_ITEMS) : random.below(items));
    return {
      items: [...chosen],
      weights: new Array<number>(LENGTH).fill(1),
      seen: new Array<boolean>(LENGTH).fill(true),
      excluded: [],
    };
  });
  const plain = plainModel(histories.slice(0, FEW));
  const offsets = memory.u32(USERS + 1);
  offsets.set(Uint32Array.from({ length: USERS + 1 }, (_, user) => user * LENGTH));
  const history = memory.u32(USERS * LENGTH);
  history.set(histories.flatMap((own) => own.items));
  const [weights, seen] = [memory.f32(USERS * LENGTH).fill(1), memory.u8(USERS * LENGTH).fill(1)];
  const none = { own: null, excludedOffsets: null, excluded: null };
  const users = buildUsersBlock(memory, { offsets, items: history, weights, seen, ...none });
  const search = buildSearchBlock(memory, { limit: LIMIT, candidates: 0, allow: null, order: block.order });
  const addsOf = (users: number) =>
    histories
      .slice(0, users)
      .flatMap((own) => own.items)
      .reduce((sum, item) => sum + lanes.sparse.reduce((n, lane) => n + lane.ends[item] - lane.starts[item], 0), 0);
  const scattered = { limit: 'scattered adds', span: items } as const;
  const eachPlain = (respond: (own: PlainHistory) => unknown) => ({
    run: () => histories.slice(0, FEW).map(respond),
    work: addsOf(FEW),
  });
  const about = `history of ${LENGTH}, ${items} items, ${lanes.sparse.length} experts and popularity`;

  const scratch = memory.u8(block.scratchBytes).fill(0).byteOffset;
  const question = memory.u32(8).fill(0);
  const score = (user: number) => {
    question.set([LENGTH, ...[history, weights].map((array) => array.byteOffset + user * LENGTH * 4)]);
    question[3] = seen.byteOffset + user * LENGTH;
    return kernels.scoreHistory(block.pointer, question.byteOffset, scratch);
  };
  yield {
    what: `score one user: ${about}`,
    ...scattered,
    kernel: {
      run: () => {
        for (let user = 0; user < USERS; user++) kernels.clearScores(block.pointer, score(user), scratch);
      },
      work: addsOf(USERS),
    },
    twin: eachPlain((own) => scoresOf(plain, own)),
  };

  const outItems = memory.u32(USERS * LIMIT);
  const outScores = memory.f32(USERS * LIMIT);
  const count = score(0);
  const z = scoresOf(plain, histories[0]);
  yield {
    what: `best ${LIMIT} of ${count} reached items`,
    limit: 'bytes',
    span: count * 4,
    kernel: {
      run: () => {
        for (let turn = 0; turn < USERS; turn++) {
          kernels.topItems(
            block.pointer,
            question.byteOffset,
            count,
            LIMIT,
            search,
            outItems.byteOffset,
            outScores.byteOffset,
            scratch,
          );
        }
      },
      work: USERS * count * 4,
    },
    twin: {
      run: () => {
        const had = new Set(histories[0].items);
        const left = [...z.keys()].filter((j) => !had.has(j));
        left.sort((a, b) => z[b] - z[a] || a - b).slice(0, LIMIT);
      },
      work: count * 4,
    },
  };
  kernels.clearScores(block.pointer, count, scratch);

  const counts = memory.u32(USERS);
  yield {
    what: `best ${LIMIT} of many users: ${about}`,
    ...scattered,
    kernel: {
      run: () =>
        pool.run('recommendUsers', [block.pointer, 0, users, search, counts, outItems, outScores, block.scratchBytes], {
          rows: USERS,
          scratchBytes: block.scratchBytes,
        }),
      work: addsOf(USERS),
    },
    twin: eachPlain((own) => recommend(plain, own, LIMIT)),
  };

  const slot = PER_LANE * block.usedLanes;
  const candidates = memory.u32(USERS * slot);
  const shares = memory.f32(USERS * slot * block.lanes);
  yield {
    what: `candidates of the blend, ${PER_LANE} per expert: ${about}`,
    ...scattered,
    kernel: {
      run: () =>
        pool.run(
          'collectCandidates',
          [block.pointer, users, PER_LANE, block.usedLanes, slot, counts, candidates, shares, block.scratchBytes],
          { rows: USERS, scratchBytes: block.scratchBytes + items * 4 + PER_LANE * 4 },
        ),
      work: addsOf(USERS),
    },
    twin: eachPlain((own) => collectCandidates(plain, own, PER_LANE, slot)),
  };

  const attributeOf = (item: number) => item % VALUES;
  const machine = await UsageMachine.create(pool, model, spaceOf(items, attributeOf));
  const batch = machine.batch(LENGTH);
  const out = machine.output();
  for (let user = 0; user < USERS; user++) {
    batch.append({ items: history, weights, seen }, user * LENGTH, (user + 1) * LENGTH, new Uint32Array(0));
  }
  yield {
    what: `usage of ${VALUES} attribute values: ${about}`,
    ...scattered,
    kernel: { run: () => machine.run(batch, out), work: addsOf(USERS) },
    twin: eachPlain((own) => {
      const masses = new Array<number>(VALUES).fill(0);
      const had = new Set(own.items);
      scoresOf(plain, own).forEach((score, item) => {
        if (!had.has(item)) masses[attributeOf(item)] += Math.exp(model.calibration.tau * score);
      });
      const total = masses.reduce((sum, mass) => sum + mass, 0);
      return masses.map((mass) => mass / total);
    }),
  };

  const [points, dimensions, k] = [4000, 64, 50];
  const values = memory.f32(points * dimensions);
  for (let at = 0; at < values.length; at++) values[at] = random.next() - 0.5;
  const cloud = { count: points, dimensions, values };
  const start = seedCentroids({ ...cloud, count: 500 }, k, random);
  const labels = new Uint32Array(points);
  const byKernel = kernelAssign(pool, cloud, k);
  const byTwin = plainAssign(cloud);
  const distances = points * dimensions * k;
  yield {
    what: `k-means: nearest of ${k} centroids in ${dimensions} dimensions`,
    limit: 'multiply-adds',
    kernel: { run: () => byKernel(start, k, labels), work: distances },
    twin: { run: () => byTwin(start, k, labels), work: distances },
  };

  /** The model in plain arrays, with the rows that the histories name. */
  function plainModel(asked: readonly PlainHistory[]): PlainScoring {
    const named = new Set(asked.flatMap((own) => own.items));
    const sparse = model.experts.slice(0, -1).map((expert, n) => {
      const { rows } = expert as ItemToItemExpert;
      const row = (all: Uint32Array | Float32Array, item: number) =>
        named.has(item) ? [...all.subarray(rows.offsets[item], rows.offsets[item + 1])] : [];
      return {
        rows: {
          columns: Array.from({ length: items }, (_, item) => row(rows.columns, item)),
          values: Array.from({ length: items }, (_, item) => row(rows.values, item)),
        },
        query: [...lanes.sparse[n].query],
      };
    });
    const popularity = [...lanes.popularity];
    return { itemCount: items, sparse, popularity, weights: laneWeights, logConstant: c };
  }
}

/** Every item is listed and has one of the values; none is without events. */
function spaceOf(items: number, attributeOf: (item: number) => number) {
  const numbers = Uint32Array.from({ length: items }, (_, item) => item);
  const noColdItems = {
    count: 0,
    itemAt: () => 0,
    groupAt: () => 0,
    groups: { neighborsOf: () => new Uint32Array(0) },
  };
  const listed = { words: new Uint32Array((items + 31) >>> 5).fill(0xffff_ffff), count: items, revision: 0 };
  const offsets = Uint32Array.from({ length: items + 1 }, (_, item) => item);
  const table = { pairCount: VALUES, offsets, pairs: numbers.map(attributeOf) };
  return usageSpace({ itemOfWarm: numbers, coldItems: noColdItems }, listed, table, 0);
}
