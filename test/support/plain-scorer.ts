// The scorer in its plainest form, straight from the blend's formula: what fast scorers are compared with.
// z_j = Σ_k w_k f(max(s_kj, 0) / max_j s_kj), the largest over the items that the history does not mark as seen.
import type { Expert, G1Model, QueryWeights } from '../../src/artifact/g1-model.ts';
import type { ScoringHistory } from '../../src/history/user-signal.ts';
import type { ScoreOptions, Scorer, TopOptions, TopOutput, VisitExplanation } from '../../src/scoring/scorer.ts';

export function createPlainScorer(model: G1Model): Scorer {
  return new PlainScorer(model);
}

class PlainScorer implements Scorer {
  readonly warmItemCount: number;
  readonly base: Float32Array;
  readonly #model: G1Model;

  constructor(model: G1Model) {
    this.#model = model;
    this.warmItemCount = model.warmItemCount;
    this.base = new Float32Array(model.warmItemCount);
    this.scoreAll(
      { length: 0, items: new Uint32Array(0), weights: new Float32Array(0), seen: new Uint8Array(0) },
      this.base,
    );
  }

  scoreAll(history: ScoringHistory, out: Float32Array): void {
    out.fill(0, 0, this.warmItemCount);
    for (const [k, expert] of this.#model.experts.entries()) {
      const raw = this.#raw(expert, history);
      const max = this.#largest(expert, raw, history);
      for (let j = 0; j < raw.length; j++) out[j] += this.#model.blend.weights[k] * this.#transform(raw[j], max);
    }
  }

  top(history: ScoringHistory, limit: number, options: TopOptions, out: TopOutput): number {
    const z = new Float32Array(this.warmItemCount);
    this.scoreAll(history, z);
    const seen = new Set<number>();
    for (let l = 0; l < history.length; l++) if (history.seen[l] === 1) seen.add(history.items[l]);
    for (const item of options.excluded ?? []) seen.add(item);
    const allowed = (j: number) => options.allow === null || ((options.allow[j >>> 5] >>> (j & 31)) & 1) === 1;
    const best = [...z.keys()]
      .filter((j) => allowed(j) && !seen.has(j))
      .sort((a, b) => z[b] - z[a] || a - b)
      .slice(0, limit);
    for (const [n, j] of best.entries()) {
      out.items[n] = j;
      out.scores[n] = z[j];
    }
    return best.length;
  }

  candidates(): number {
    return 0;
  }

  scoreItems(history: ScoringHistory, items: Uint32Array, _: ScoreOptions, out: Float32Array): void {
    const z = new Float32Array(this.warmItemCount);
    this.scoreAll(history, z);
    for (const [n, item] of items.entries()) out[n] = z[item];
  }

  #explain(history: ScoringHistory, item: number) {
    const terms = new Float32Array(history.length);
    let popularity = 0;
    for (const [k, expert] of this.#model.experts.entries()) {
      const raw = this.#raw(expert, history);
      const part = this.#model.blend.weights[k] * this.#transform(raw[item], this.#largest(expert, raw, history));
      if (expert.kind === 'popularity') popularity += part;
      if (expert.kind !== 'item-to-item' || raw[item] <= 0) continue;
      for (let l = 0; l < history.length; l++) terms[l] += (part * this.#term(expert, history, l, item)) / raw[item];
    }
    return { terms, popularity, z: popularity + terms.reduce((sum, term) => sum + term, 0) };
  }

  explainEach(history: ScoringHistory, items: ArrayLike<number>, visit: VisitExplanation): void {
    for (let n = 0; n < items.length; n++) {
      const { terms, popularity, z } = this.#explain(history, items[n]);
      visit(n, terms, popularity, z);
    }
  }

  memoryBytes(): number {
    return 0;
  }

  #raw(expert: Expert, history: ScoringHistory): Float64Array {
    const raw = new Float64Array(this.warmItemCount);
    if (expert.kind === 'popularity') raw.set(expert.values);
    if (expert.kind !== 'item-to-item') return raw;
    for (let j = 0; j < raw.length; j++)
      for (let l = 0; l < history.length; l++) raw[j] += this.#term(expert, history, l, j);
    return raw;
  }

  /** Over the items that may be recommended; popularity over all. */
  #largest(expert: Expert, raw: Float64Array, history: ScoringHistory): number {
    if (expert.kind === 'popularity') return Math.max(...raw);
    const seen = new Set(history.items.subarray(0, history.length).filter((_, l) => history.seen[l] === 1));
    return Math.max(0, ...raw.filter((_, j) => !seen.has(j)));
  }

  #term(expert: Extract<Expert, { kind: 'item-to-item' }>, history: ScoringHistory, l: number, j: number): number {
    const { offsets, columns, values } = expert.rows;
    const row = history.items[l];
    for (let at = offsets[row]; at < offsets[row + 1]; at++) {
      if (columns[at] === j) return queryWeight(expert.query, l) * history.weights[l] * values[at];
    }
    return 0;
  }

  #transform(raw: number, max: number): number {
    const { transform } = this.#model.blend;
    const x = max > 0 && raw > 0 ? raw / max : 0;
    return transform.kind === 'linear' ? x : Math.log1p(x / transform.c);
  }
}

function queryWeight(query: QueryWeights, l: number): number {
  return query.kind === 'power' ? (l + 1) ** -query.rho : (query.weights[l] ?? 0);
}
