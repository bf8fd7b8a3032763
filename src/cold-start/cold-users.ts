// Users without usable history: score_j = log p_j + Σ over the user's attribute features of log lift(feature, j), from the
// tables fit-cold-users.ts made. A user whose attributes say nothing is left to popularity.

import type { ColdUserTables } from '../artifact/g1-model.ts';
import type { Attributes } from '../domain/record.ts';
import { FeatureReader } from './attribute-binning.ts';
import type { Reason } from './reason.ts';

export class ColdUsers {
  readonly #tables: ColdUserTables;
  readonly #reader: FeatureReader;

  constructor(tables: ColdUserTables) {
    this.#tables = tables;
    this.#reader = new FeatureReader(tables.binnings);
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

  /** Writes the score of every warm item. */
  score(features: readonly number[], out: Float32Array): void {
    const { lifts, logPopularity, offsets } = this.#tables;
    let offset = 0;
    for (const feature of features) offset += offsets[feature];
    for (let item = 0; item < logPopularity.length; item++) out[item] = logPopularity[item] + offset;
    for (const feature of features) {
      const end = lifts.offsets[feature + 1];
      for (let at = lifts.offsets[feature]; at < end; at++) out[lifts.columns[at]] += lifts.values[at];
    }
  }

  /** The terms of one item's score, scaled by `share`. */
  explain(features: readonly number[], item: number, share: number, add: (reason: Reason) => void): void {
    const { logPopularity, offsets } = this.#tables;
    add({ kind: 'popularity', contribution: share * logPopularity[item] });
    for (const feature of features) {
      const described = this.#reader.describe(this.#tables.features.at(feature)!);
      const contribution = share * (offsets[feature] + this.#lift(feature, item));
      add({ kind: 'user-attribute', ...described, contribution });
    }
  }

  #lift(feature: number, item: number): number {
    const { lifts } = this.#tables;
    for (let at = lifts.offsets[feature]; at < lifts.offsets[feature + 1]; at++) {
      if (lifts.columns[at] === item) return lifts.values[at];
    }
    return 0;
  }
}
