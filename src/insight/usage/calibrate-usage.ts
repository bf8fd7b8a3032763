// How far usage can be trusted, measured on the project's own data: for a sample of users the newest target event is left out
// of the history, usage is predicted from the rest, and compared with what the left-out event was. Well calibrated means that
// the mean prediction is the observed share, over all users and within each tenth of them by prediction.

import { SeededRandom } from '../clustering/seeded-random.ts';
import type { CalibrationReport, PairCalibration } from '../querying/query-result.ts';
import type { HistoryBatch } from '../users/history-batch.ts';
import type { UsageMachine } from './usage-machine.ts';
import type { UsageSpace } from './usage-space.ts';

const SAMPLE_USERS = 5000;
/** Below this the comparison says more about chance than about the model. */
const MIN_USERS = 100;
const TENTHS = 10;
const METHOD =
  'newest target event of a sample of users, left out of their history; the model was trained with these events';

export class UsageCalibrator {
  readonly #machine: UsageMachine;
  readonly #space: UsageSpace;
  readonly #batch: HistoryBatch;
  readonly #out: Float32Array;
  readonly #held: Uint32Array;
  readonly #random = new SeededRandom(1);
  readonly #chance: number;
  /** per pair: predictions of all sampled users, and whether the left-out event had the pair */
  readonly #predicted: number[][];
  readonly #observed: boolean[][];
  #users = 0;

  constructor(machine: UsageMachine, space: UsageSpace, historyLimit: number, knownUsers: number) {
    this.#machine = machine;
    this.#space = space;
    this.#batch = machine.batch(historyLimit);
    this.#out = machine.output();
    this.#held = new Uint32Array(machine.batchUsers);
    this.#chance = Math.min(1, SAMPLE_USERS / Math.max(1, knownUsers));
    this.#predicted = Array.from({ length: space.pairCount }, () => []);
    this.#observed = Array.from({ length: space.pairCount }, () => []);
  }

  /** Takes its sample of the batch's users. The machine must be idle. */
  async offer(batch: HistoryBatch): Promise<void> {
    for (let user = 0; user < batch.count; user++) {
      if (this.#random.unit() >= this.#chance) continue;
      const end = batch.offsets[user + 1];
      let held = batch.offsets[user];
      while (held < end && batch.seen[held] !== 1) held++;
      if (held + 1 >= end || this.#space.listed[batch.items[held]] === 0) continue;
      if (!this.#batch.fits(end - held)) await this.#predict();
      const extras = batch.extras.subarray(batch.extraOffsets[user], batch.extraOffsets[user + 1]);
      this.#held[this.#batch.count] = batch.items[held];
      this.#batch.append(batch, held + 1, end, extras);
    }
  }

  async report(): Promise<CalibrationReport> {
    await this.#predict();
    const enough = this.#users >= MIN_USERS;
    const pairs = this.#predicted.map((predicted, pair) => (enough ? compare(predicted, this.#observed[pair]) : null));
    return {
      method: enough ? METHOD : `too few users with at least two target events (${this.#users})`,
      users: this.#users,
      pairs,
    };
  }

  async #predict(): Promise<void> {
    const { pairCount, pairOffsets, pairs } = this.#space;
    const batch = this.#batch;
    if (batch.count > 0) await this.#machine.run(batch, this.#out);
    for (let user = 0; user < batch.count; user++) {
      if (this.#out[user * pairCount] < 0) continue;
      this.#users++;
      const item = this.#held[user];
      const has = new Set(pairs.subarray(pairOffsets[item], pairOffsets[item + 1]));
      for (let pair = 0; pair < pairCount; pair++) {
        this.#predicted[pair].push(this.#out[user * pairCount + pair]);
        this.#observed[pair].push(has.has(pair));
      }
    }
    batch.clear(0);
  }
}

export function compare(predicted: readonly number[], observed: readonly boolean[]): PairCalibration {
  const order = Uint32Array.from(predicted.keys()).sort((a, b) => predicted[a] - predicted[b] || a - b);
  const mean = (from: number, to: number) => {
    let predictedSum = 0;
    let observedSum = 0;
    for (let at = from; at < to; at++) {
      predictedSum += predicted[order[at]];
      observedSum += observed[order[at]] ? 1 : 0;
    }
    const users = Math.max(1, to - from);
    return { predicted: shortShare(predictedSum / users), observed: shortShare(observedSum / users) };
  };
  const all = mean(0, order.length);
  const tenths = Array.from({ length: TENTHS }, (_, tenth) =>
    mean(Math.floor((tenth * order.length) / TENTHS), Math.floor(((tenth + 1) * order.length) / TENTHS)),
  );
  const errors = tenths.map((tenth) => Math.abs(tenth.predicted - tenth.observed));
  return {
    ...all,
    error: shortShare(Math.abs(all.predicted - all.observed)),
    tenths,
    error_by_tenth: shortShare(errors.reduce((sum, error) => sum + error, 0) / TENTHS),
  };
}

function shortShare(value: number): number {
  return Number(value.toFixed(6));
}
