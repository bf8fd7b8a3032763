// What attributes say about items, learned from the users (or, for contexts, the events) that have attributes and target items:
//
//   p(j | a) = (n_aj + κ p_j) / (n_a + κ),   lift(a, j) = p(j | a) / p_j
//   log lift = log(1 + n_aj / (κ p_j)) − log(1 + n_a / κ)
//
// The first term is 0 wherever no user with a had j, so a row is sparse; the second is one offset a feature. A row with too many
// items holds whole log lifts, of the items whose shares change most.
//
// κ is chosen for each attribute by how well the tables of one half of the users tell, of what the other half took, who took it: an
// attribute that tells users apart gets a small one, noise a large one that silences it. Which items are popular in a half plays
// no part. The halves also say what a table knows of users that took no part in it (`unseenLift`).

import type { AttributeBinning, LiftTables, SparseRows } from '../artifact/g1-model.ts';
import { IdTable } from '../base/id-table.ts';
import type { Attributes } from '../domain/record.ts';
import { FeatureReader } from './attribute-binning.ts';

const KAPPAS = [10, 100, 1000, 10_000, 100_000, 1_000_000] as const;
/** used when there is too little to choose from */
const DEFAULT_KAPPA = 10_000;
const MAX_FEATURES = 1000;
const MIN_USERS = 5;
/** Counts held at once, of both halves: features × items × 2. */
const MAX_CELLS = 64_000_000;
/** A row with more items is cut. */
const MAX_ROW_ENTRIES = 1000;
/** A user's newest target items that count; one user must not outvote others. */
const MAX_ITEMS_PER_USER = 200;

/** What one feature adds to the scores of all items, and to those of some items. */
interface LiftRow {
  readonly offset: number;
  readonly columns: number[];
  readonly values: number[];
}

/** The half of the users that a user belongs to. */
export type Half = 0 | 1;

/**
 * Needs two passes over the same users: call `countFeatures` for each, then `begin`, then `add` for each, then `finish`.
 * MAX_CELLS bounds the memory whatever the attributes are.
 */
export class LiftFitter {
  readonly #binnings: readonly AttributeBinning[];
  readonly #reader: FeatureReader;
  readonly #itemCount: number;
  readonly #candidates = new Map<string, number>();
  #features = new IdTable();
  /** n_aj of the two halves, feature-major */
  #counts: [Float32Array, Float32Array] = [new Float32Array(0), new Float32Array(0)];
  /** target events with each item, of the two halves */
  readonly #itemCounts: [Float64Array, Float64Array];
  /** p_j by each half alone, once they are known */
  #shares: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  /** one per attribute, once they are chosen */
  #kappas: number[] = [];
  #users = 0;
  #found = false;

  constructor(binnings: readonly AttributeBinning[], warmItemCount: number) {
    this.#binnings = binnings;
    this.#reader = new FeatureReader(binnings);
    this.#itemCount = warmItemCount;
    this.#itemCounts = [new Float64Array(warmItemCount), new Float64Array(warmItemCount)];
  }

  countFeatures(attributes: Attributes): void {
    for (const feature of this.#reader.features(attributes)) {
      const count = this.#candidates.get(feature) ?? 0;
      // ids used as attributes would fill the map: names beyond a bound are left out
      if (count > 0 || this.#candidates.size < 1_000_000) this.#candidates.set(feature, count + 1);
    }
  }

  begin(): void {
    const room = Math.min(MAX_FEATURES, Math.floor(MAX_CELLS / 2 / Math.max(1, this.#itemCount)));
    const kept = [...this.#candidates]
      .filter(([, users]) => users >= MIN_USERS)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    this.#features = IdTable.from(kept.slice(0, room).map(([feature]) => feature));
    this.#candidates.clear();
    const cells = this.#features.length * this.#itemCount;
    this.#counts = [new Float32Array(cells), new Float32Array(cells)];
  }

  /** Features of these attributes that are kept. */
  featuresOf(attributes: Attributes): number[] {
    const kept: number[] = [];
    for (const name of this.#reader.features(attributes)) {
      const feature = this.#features.indexOf(name);
      if (feature >= 0) kept.push(feature);
    }
    return kept;
  }

  /** `items`: distinct warm items of target events, newest first. What belongs together must be in the same half. */
  add(features: Iterable<number>, items: Uint32Array | readonly number[], half: Half): void {
    const end = Math.min(items.length, MAX_ITEMS_PER_USER);
    if (end === 0) return;
    this.#users++;
    for (let n = 0; n < end; n++) this.#itemCounts[half][items[n]]++;
    const counts = this.#counts[half];
    for (const feature of features) {
      this.#found = true;
      const row = feature * this.#itemCount;
      for (let n = 0; n < end; n++) counts[row + items[n]]++;
    }
  }

  /**
   * Call after `finish`. Returns the log lift of an item for a user of this half, by the tables of the other half. Omits the
   * offsets of the features, which are equal for every item.
   */
  unseenLift(half: Half, features: Iterable<number>, item: number): number {
    const counts = this.#counts[1 - half];
    const shares = this.#shares[1 - half];
    let lift = 0;
    for (const feature of features) {
      const kappa = this.#kappas[this.#attributeOf(feature)];
      lift += Math.log1p(counts[feature * this.#itemCount + item] / (kappa * shares[item]));
    }
    return lift;
  }

  /** null when no attribute says anything. */
  finish(): LiftTables | null {
    if (this.#features.length === 0 || !this.#found) return null;
    const [even, odd] = this.#itemCounts;
    const shares = smoothedShares(even.map((count, item) => count + odd[item]));
    this.#shares = [smoothedShares(even), smoothedShares(odd)];
    const kappas = this.#binnings.map((_, attribute) => this.#chooseKappa(attribute));
    this.#kappas = kappas;
    const rows = Array.from({ length: this.#features.length }, (_, feature) =>
      this.#row(feature, shares, kappas[this.#attributeOf(feature)]),
    );
    return {
      binnings: this.#binnings,
      features: this.#features,
      offsets: Float32Array.from(rows, ({ offset }) => offset),
      lifts: toSparseRows(rows, this.#itemCount),
      logPopularity: Float32Array.from(shares, Math.log),
      kappas,
    };
  }

  #row(feature: number, shares: Float64Array, kappa: number): LiftRow {
    const [even, odd] = this.#counts;
    const start = feature * this.#itemCount;
    const terms = new Float64Array(this.#itemCount);
    const columns: number[] = [];
    let total = 0;
    for (let item = 0; item < terms.length; item++) {
      const count = even[start + item] + odd[start + item];
      if (count === 0) continue;
      total += count;
      terms[item] = Math.log1p(count / (kappa * shares[item]));
      columns.push(item);
    }
    const offset = -Math.log1p(total / kappa);
    if (columns.length <= MAX_ROW_ENTRIES) return { offset, columns, values: columns.map((item) => terms[item]) };
    return cutRow(
      terms.map((term) => term + offset),
      shares,
    );
  }

  /** The κ with which each half predicts the other best. */
  #chooseKappa(attribute: number): number {
    const features = Array.from({ length: this.#features.length }, (_, feature) => feature);
    const own = features.filter((feature) => this.#attributeOf(feature) === attribute);
    if (own.length === 0 || this.#users < 2 * MIN_USERS) return DEFAULT_KAPPA;
    let best: number = DEFAULT_KAPPA;
    let bestLikelihood = Number.NEGATIVE_INFINITY;
    for (const kappa of KAPPAS) {
      const likelihood = this.#likelihood(own, 0, kappa) + this.#likelihood(own, 1, kappa);
      if (likelihood > bestLikelihood) {
        bestLikelihood = likelihood;
        best = kappa;
      }
    }
    return best;
  }

  /**
   * Log-likelihood of the attribute values of users in the other half who took each item: Σ log p(a | j), with p(a | j) ∝ p(a)
   * p(j | a) fitted on this half.
   */
  #likelihood(features: readonly number[], half: Half, kappa: number): number {
    const [fitted, held] = [this.#counts[half], this.#counts[1 - half]];
    const shares = this.#shares[half];
    const totals = features.map((feature) => sumOf(fitted, feature * this.#itemCount, this.#itemCount));
    const all = totals.reduce((sum, total) => sum + total + 0.5, 0);
    const weights = totals.map((total) => (total + 0.5) / all / (total + kappa));
    const norms = new Float64Array(this.#itemCount);
    for (const [n, feature] of features.entries()) {
      const start = feature * this.#itemCount;
      for (let item = 0; item < norms.length; item++) {
        norms[item] += weights[n] * (fitted[start + item] + kappa * shares[item]);
      }
    }
    let likelihood = 0;
    for (const [n, feature] of features.entries()) {
      const start = feature * this.#itemCount;
      for (let item = 0; item < norms.length; item++) {
        const count = held[start + item];
        if (count === 0) continue;
        likelihood += count * Math.log((weights[n] * (fitted[start + item] + kappa * shares[item])) / norms[item]);
      }
    }
    return likelihood;
  }

  #attributeOf(feature: number): number {
    return Number.parseInt(this.#features.at(feature)!, 10);
  }
}

/**
 * Shortens a row with too many items to those whose shares the feature changes most. All other items keep their shares: with the
 * offset alone, nobody with the feature would seem to take them.
 */
function cutRow(logLifts: Float64Array, shares: Float64Array): LiftRow {
  const changes = logLifts.map((lift, item) => shares[item] * Math.abs(Math.expm1(lift)));
  const columns = Array.from(changes.keys())
    .sort((a, b) => changes[b] - changes[a] || a - b)
    .slice(0, MAX_ROW_ENTRIES)
    .sort((a, b) => a - b);
  return { offset: 0, columns, values: columns.map((item) => logLifts[item]) };
}

function sumOf(values: Float32Array, from: number, count: number): number {
  let sum = 0;
  for (let at = from; at < from + count; at++) sum += values[at];
  return sum;
}

/** Shares of the items, with half a count added to each so that none is 0. */
function smoothedShares(counts: ArrayLike<number>): Float64Array {
  let total = 0;
  for (let item = 0; item < counts.length; item++) total += counts[item] + 0.5;
  const shares = new Float64Array(counts.length);
  for (let item = 0; item < counts.length; item++) shares[item] = (counts[item] + 0.5) / total;
  return shares;
}

function toSparseRows(rows: readonly LiftRow[], columnCount: number): SparseRows {
  const offsets = new Uint32Array(rows.length + 1);
  for (const [n, { columns }] of rows.entries()) offsets[n + 1] = offsets[n] + columns.length;
  const columns = new Uint32Array(offsets[rows.length]);
  const values = new Float32Array(offsets[rows.length]);
  for (const [n, row] of rows.entries()) {
    columns.set(row.columns, offsets[n]);
    values.set(row.values, offsets[n]);
  }
  return { rowCount: rows.length, columnCount, offsets, columns, values };
}
