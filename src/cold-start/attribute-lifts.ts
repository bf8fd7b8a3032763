// What attributes say about items, from the tables that fit-lifts.ts made: a log lift for each feature and item. Lifts of users'
// attributes and of a call's context join the model's score; a user without usable history is scored by them alone:
// score_j = log p_j + λ(0) Σ over the features of log lift(feature, j).
import type { LiftTables } from '../artifact/g1-model.ts';
import type { Attributes } from '../domain/record.ts';
import { FeatureReader } from './attribute-binning.ts';
import { historyWeight } from './history-weight.ts';

export class AttributeLifts {
  readonly #tables: LiftTables;
  readonly #reader: FeatureReader;

  constructor(tables: LiftTables) {
    this.#tables = tables;
    this.#reader = new FeatureReader(tables.binnings);
  }

  /** for each item, the logarithm of its share of target events */
  get logPopularity(): Float32Array {
    return this.#tables.logPopularity;
  }

  /** The features the tables know of. */
  featuresOf(attributes: Attributes): number[] {
    const known: number[] = [];
    for (const name of this.#reader.features(attributes)) {
      const feature = this.#tables.features.indexOf(name);
      if (feature >= 0) known.push(feature);
    }
    return known;
  }

  /** Names of attributes that no record had when the tables were made. */
  unknownNames(attributes: Attributes): string[] {
    return Object.keys(attributes).filter((name) => !this.#reader.knows(name));
  }

  /** The weight of a context next to a history of this many items: one weight without a history, another for any history. */
  contextWeight(items: number): number {
    const { weight = 1, weightAlone = 1 } = this.#tables;
    return items === 0 ? weightAlone : weight;
  }

  /** The weight of attributes next to a history of this many items. */
  weightBeside(items: number): number {
    return historyWeight(this.#tables.historyWeights, items);
  }

  /** Adds the weighted log lifts to the scores of all warm items. */
  addTo(scores: Float32Array, features: readonly number[], weight: number): void {
    const { lifts, offsets } = this.#tables;
    let offset = 0;
    for (const feature of features) offset += weight * offsets[feature];
    for (let item = 0; item < scores.length; item++) scores[item] += offset;
    for (const feature of features) {
      const end = lifts.offsets[feature + 1];
      for (let at = lifts.offsets[feature]; at < end; at++) scores[lifts.columns[at]] += weight * lifts.values[at];
    }
  }

  /** Adds the weighted log lift of a feature for each item to the place the item has in `sums`. */
  addLifts(sums: Float64Array, feature: number, weight: number, placeOf: ReadonlyMap<number, number>): void {
    const { lifts, offsets } = this.#tables;
    for (let n = 0; n < sums.length; n++) sums[n] += weight * offsets[feature];
    for (let at = lifts.offsets[feature]; at < lifts.offsets[feature + 1]; at++) {
      const place = placeOf.get(lifts.columns[at]);
      if (place !== undefined) sums[place] += weight * lifts.values[at];
    }
  }

  /** The feature in words for people. */
  describe(feature: number): { attribute: string; value: string } {
    return this.#reader.describe(this.#tables.features.at(feature)!);
  }
}
