// Makes experts out of interactions: from a spec (which expert, which settings) to rows on the kernels' memory that scoring
// can read. Shared pieces (gram, ridge columns, singular space) are made once. Nothing is given back before the caller
// releases the memory to a mark taken before the forge was made.

import { BuiltInAggregation } from '../aggregation/built-in.ts';
import type { EventAggregation } from '../aggregation/event-aggregation.ts';
import type { BlendTransform, Expert, QueryWeights } from '../artifact/g1-model.ts';
import { DAY_MS } from '../base/durations.ts';
import { traced } from '../base/trace.ts';
import type { HistoryBlocks } from '../dataset/history-blocks.ts';
import { denseRidgeRows, isWhole } from '../experts/dense-ridge.ts';
import { buildGram, type Gram } from '../experts/gram.ts';
import { localRidgeColumns } from '../experts/local-ridge.ts';
import { lowRankRows, type SingularSpace, singularSpace, spaceWidth } from '../experts/low-rank.ts';
import { type CountedEvents, popularityValues } from '../experts/popularity.ts';
import {
  type LaneRows,
  laneOfSlots,
  laneOnMemory,
  type SlotRows,
  sparseRowsOf,
  transposeAll,
} from '../experts/slot-rows.ts';
import { transitionQuery, transitionRows } from '../experts/transitions.ts';
import { walkRows } from '../experts/walk.ts';
import type { KernelMemory } from '../kernels/kernel-memory.ts';
import type { KernelPool } from '../kernels/kernel-pool.ts';
import { buildScoreBlock, type ScoreBlock, type SparseLane } from '../scoring/score-block.ts';
import { normalizePopularity, queryOnMemory } from '../scoring/score-lanes.ts';
import { bytesToChoose, transitionSlot, walkSlot } from './expert-rows.ts';
import { type ExpertSpec, expertName, ridgeKey, rowsKey } from './expert-spec.ts';

/** An expert that is ready to score. */
export interface Forged {
  readonly spec: ExpertSpec;
  readonly query: QueryWeights;
  readonly sparse?: LaneRows;
  /** the largest value is 1 */
  readonly popularity?: Float32Array;
}

/** Ridge weights below this are dropped: they only cost memory and time. */
const NEGLIGIBLE_WEIGHT = 5e-4;
const NEAR_PER_KEPT = 3;

export class ExpertForge {
  readonly degrees: Float32Array;
  readonly #pool: KernelPool;
  readonly #counted: CountedEvents;
  readonly #histories: HistoryBlocks;
  readonly #aggregation: EventAggregation;
  readonly #seed: number;
  readonly #gammas: readonly [number, number];
  readonly #cap: number;
  readonly #walkSlot: number;
  #gram: Promise<Gram> | null = null;
  readonly #rows = new Map<string, Promise<LaneRows>>();
  readonly #popularities = new Map<number | null, Float32Array>();
  #near: Promise<SlotRows> | null = null;
  readonly #startSpace: SingularSpace | null;
  #space: SingularSpace | null = null;

  constructor(
    pool: KernelPool,
    input: {
      counted: CountedEvents;
      histories: HistoryBlocks;
      seed: number;
      gammas: readonly [number, number];
      historyCap: number;
      /** the machine or cluster that counts; if left out, this machine */
      aggregation?: EventAggregation;
      /** false if the events have no order */
      ordered?: boolean;
      /** the space of nearly the same events, to start from */
      startSpace?: SingularSpace | null;
    },
  ) {
    this.#pool = pool;
    this.#counted = input.counted;
    this.#histories = input.histories;
    this.#aggregation = input.aggregation ?? new BuiltInAggregation(pool, input.histories);
    this.#seed = input.seed;
    this.#gammas = input.gammas;
    this.#startSpace = input.startSpace ?? null;
    const { itemCount } = input.histories;
    this.#cap = Math.max(1, Math.min(input.historyCap, itemCount));
    this.#walkSlot = walkSlot(itemCount, input.ordered !== false);
    this.degrees = pool.memory.f32(itemCount);
    this.degrees.set(input.histories.degrees);
  }

  gram(): Promise<Gram> {
    this.#gram ??= buildGram(this.#pool, this.#aggregation, this.#gammas);
    return this.#gram;
  }

  /** Returns the space with at least this many directions, if it has them. */
  async space(wanted: number): Promise<SingularSpace> {
    const { itemCount, userCount } = this.#histories;
    const width = Math.min(spaceWidth(itemCount, userCount), Math.max(4, Math.ceil(wanted / 4) * 4));
    if (this.#space === null || this.#space.width < width) {
      this.#space = await singularSpace(this.#pool, { histories: this.#histories, degrees: this.degrees }, width, {
        seed: this.#seed,
        start: this.#startSpace,
      });
    }
    return this.#space;
  }

  /** Copies the known part of the space out of the kernels' memory, so that another forge can start from it. */
  spaceCopy(): SingularSpace | null {
    return this.#space && { width: this.#space.width, basis: this.#space.basis.slice() };
  }

  /** Solves the ridges among the specs. Those that differ only in λ share one pass over the gram, which costs most. */
  async prepareRidges(specs: readonly ExpertSpec[]): Promise<void> {
    const ridges = specs.filter((spec) => spec.family === 'local_ridge');
    for (const [neighbours, own] of Map.groupBy(ridges, (spec) => spec.neighbours)) {
      await traced('ridge', () => this.#solveRidges(neighbours, [...new Set(own.map(({ lambda }) => lambda))]));
    }
  }

  /** Computes the values of all these half-lives in one pass over the events. */
  async preparePopularities(halfLivesDays: readonly (number | null)[]): Promise<void> {
    const halfLivesMs = halfLivesDays.map((days) => (days === null ? null : days * DAY_MS));
    const values = await popularityValues(this.#counted, halfLivesMs);
    for (const [n, days] of halfLivesDays.entries()) this.#popularities.set(days, values[n]);
  }

  async #solveRidges(neighbours: number, lambdas: readonly number[]): Promise<void> {
    const { memory } = this.#pool;
    const gram = await this.gram();
    if (isWhole(this.#histories.itemCount, neighbours)) {
      for (const lambda of lambdas) {
        const rows = await denseRidgeRows(this.#pool, gram, lambda);
        this.#rows.set(ridgeKey({ neighbours, lambda }), Promise.resolve(rows));
      }
      return;
    }
    const mark = memory.mark();
    const columns = await localRidgeColumns(this.#pool, { gram, degrees: this.degrees }, neighbours, lambdas);
    const transposed = transposeAll(columns, NEGLIGIBLE_WEIGHT);
    memory.release(mark);
    for (const [n, lambda] of lambdas.entries()) {
      this.#rows.set(ridgeKey({ neighbours, lambda }), Promise.resolve(laneOnMemory(memory, transposed[n])));
    }
  }

  async forge(spec: ExpertSpec): Promise<Forged> {
    const pool = this.#pool;
    const { itemCount } = this.#histories;
    const { degrees } = this;
    switch (spec.family) {
      case 'local_ridge': {
        const key = rowsKey(spec);
        if (!this.#rows.has(key)) await this.prepareRidges([spec]);
        return { spec, query: { kind: 'power', rho: spec.rho }, sparse: await this.#rows.get(key)! };
      }
      case 'walk': {
        const gram = await this.gram();
        const sparse = await remember(this.#rows, rowsKey(spec), async () =>
          laneOfSlots(pool.memory, await walkRows(pool, { gram, degrees }, spec, this.#walkSlot)),
        );
        return { spec, query: { kind: 'power', rho: spec.rho }, sparse };
      }
      case 'transitions': {
        const sparse = await remember(this.#rows, rowsKey(spec), async () =>
          laneOfSlots(
            pool.memory,
            await transitionRows(
              pool,
              { aggregation: this.#aggregation, degrees },
              spec.variant,
              transitionSlot(itemCount),
            ),
          ),
        );
        return { spec, query: transitionQuery(spec.variant), sparse };
      }
      case 'repeat':
        return { spec, query: { kind: 'power', rho: spec.rho }, sparse: this.#identity() };
      case 'low_rank': {
        const near = await this.#nearRows();
        const space = await this.space(spec.factors);
        const sparse = await remember(this.#rows, rowsKey(spec), async () =>
          laneOfSlots(pool.memory, await lowRankRows(pool, { near, space, degrees }, spec.factors, this.#walkSlot)),
        );
        return { spec, query: { kind: 'power', rho: spec.rho }, sparse };
      }
      case 'popularity': {
        const popularity = pool.memory.f32(itemCount);
        normalizePopularity(await this.#popularity(spec.half_life_days), popularity);
        return { spec, query: { kind: 'power', rho: 0 }, popularity };
      }
    }
  }

  /**
   * The experts of a model, in the order of the specs: copied off the memory, which is given back before the next is made. Where
   * catalogs are large, all of them together would not fit next to the histories.
   */
  async modelExperts(
    specs: readonly ExpertSpec[],
    onExpert: (spec: ExpertSpec, shareDone: number) => void,
  ): Promise<Expert[]> {
    const { memory } = this.#pool;
    const { itemCount } = this.#histories;
    for (const spec of specs) await this.#makeShared(spec);
    const experts: Expert[] = [];
    let done = 0;
    const families = Map.groupBy(specs.entries(), ([, spec]) =>
      spec.family === 'local_ridge' ? 'ridges' : rowsKey(spec),
    );
    for (const [key, own] of families) {
      const mark = memory.mark();
      if (key === 'ridges') await this.prepareRidges(specs);
      for (const [n, spec] of own) {
        onExpert(spec, done++ / specs.length);
        experts[n] = toModelExpert(await traced('fit expert', () => this.forge(spec)), itemCount);
      }
      for (const [, spec] of own) this.#rows.delete(rowsKey(spec));
      memory.release(mark);
    }
    return experts;
  }

  /**
   * Makes an expert and judges it. If the chosen experts might not fit next to its rows, the rows are freed. They are made again,
   * identically, if the expert is chosen.
   */
  async tryOut<T>(spec: ExpertSpec, judge: (forged: Forged) => Promise<T>): Promise<T> {
    const { memory } = this.#pool;
    await this.#makeShared(spec);
    const isNew = !this.#rows.has(rowsKey(spec));
    const mark = memory.mark();
    const judged = await judge(await this.forge(spec));
    if (isNew && memory.freeBytes < bytesToChoose(this.#histories.itemCount)) {
      this.#rows.delete(rowsKey(spec));
      memory.release(mark);
    }
    return judged;
  }

  /** Makes the parts that several experts share. They stay in memory. */
  async #makeShared(spec: ExpertSpec): Promise<void> {
    if (spec.family === 'local_ridge' || spec.family === 'walk' || spec.family === 'low_rank') await this.gram();
    if (spec.family !== 'low_rank') return;
    await this.#nearRows();
    await this.space(spec.factors);
  }

  /** The items that low rank compares an item with: a few times as many as it keeps, those that most users have together. */
  #nearRows(): Promise<SlotRows> {
    this.#near ??= this.gram().then((gram) => {
      const slot = NEAR_PER_KEPT * this.#walkSlot;
      if (slot >= gram.first.slot) return gram.first;
      return walkRows(this.#pool, { gram, degrees: this.degrees }, { gamma: gram.gammas[0], beta: 0, delta: 0 }, slot);
    });
    return this.#near;
  }

  /** Cached, because the one that is chosen was tried before. */
  async #popularity(halfLifeDays: number | null): Promise<Float32Array> {
    if (!this.#popularities.has(halfLifeDays)) await this.preparePopularities([halfLifeDays]);
    return this.#popularities.get(halfLifeDays)!;
  }

  /** Rows in which every item leads to itself, for what users come back to. */
  #identity(): LaneRows {
    const { memory } = this.#pool;
    const { itemCount } = this.#histories;
    const starts = memory.u32(itemCount);
    const ends = memory.u32(itemCount);
    for (let item = 0; item < itemCount; item++) {
      starts[item] = item;
      ends[item] = item + 1;
    }
    return { starts, ends, columns: starts, values: memory.f32(itemCount).fill(1) };
  }

  /** A score block over the experts, which are in the order of lanes: popularity, if any, comes last. */
  block(experts: readonly Forged[], blend: { weights: readonly number[]; transform: BlendTransform }): ScoreBlock {
    const { memory } = this.#pool;
    return buildScoreBlock(memory, {
      itemCount: this.#histories.itemCount,
      sparse: sparseLanes(memory, experts, this.#cap),
      popularity: experts.find((expert) => expert.popularity)?.popularity ?? null,
      weights: blend.weights,
      logConstant: blend.transform.kind === 'log' ? blend.transform.c : 0,
    });
  }
}

/** The experts with rows, in their order. They come before popularity, so that lane n is expert n. */
export function sparseLanes(memory: KernelMemory, experts: readonly Forged[], cap: number): SparseLane[] {
  return experts.flatMap(({ sparse, query }) =>
    sparse ? [{ ...sparse, query: queryOnMemory(memory, query, cap) }] : [],
  );
}

/** The popularity of every item, the largest 1; empty if popularity is not among the experts. */
export function popularityOf(experts: readonly Forged[]): Float32Array {
  return experts.find((expert) => expert.popularity)?.popularity ?? new Float32Array(0);
}

/** A forged expert as part of a model: copied off the kernels' memory. */
export function toModelExpert(forged: Forged, itemCount: number): Expert {
  const { family, ...rest } = forged.spec;
  const name = expertName(forged.spec);
  const settings = Object.fromEntries(
    Object.entries({ family, ...rest }).filter(([, value]) => value !== null),
  ) as Record<string, number | string>;
  if (forged.sparse) {
    return { kind: 'item-to-item', name, rows: sparseRowsOf(forged.sparse, itemCount), query: forged.query, settings };
  }
  return { kind: 'popularity', name, values: Float32Array.from(forged.popularity!), settings };
}

function remember<K, V>(map: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
