// The plain twin of the ranker: features of candidates, their scores, and how likely the weights make what was chosen.
import { type PlainHistory, type PlainScoring, recommend, sharesOf } from './scoring.ts';

export interface PlainRanker {
  candidates: number;
  /** lanes whose single contributions count */
  deep: readonly number[];
  /** of every lane for each constant, then 24 others */
  weights: readonly number[];
  bias: readonly number[];
}

const SHARE_CONSTANTS = [0.003, 0.03, 0.3];
const positive = (share: number) => Math.max(0, share);

/** Features of one item, in the order of the ranker's weights. */
export function featuresOf(
  model: PlainScoring,
  history: PlainHistory,
  { deep }: Pick<PlainRanker, 'deep'>,
  item: number,
): number[] {
  const lanes = model.sparse.length + (model.popularity ? 1 : 0);
  const { shares, scales } = sharesOf(model, history);
  const own = shares.get(item) ?? model.sparse.map(() => 0).concat(model.popularity ? [model.popularity[item]] : []);
  const logs = SHARE_CONSTANTS.flatMap((c) =>
    Array.from({ length: lanes }, (_, lane) => Math.log1p(positive(own[lane]) / c)),
  );
  const kinds: number[][] = [[], [], [], [], []];
  for (let d = 0; d < 4; d++) {
    const { count, largest, newest } = contributions(model, history, deep[d], item);
    const scale = deep[d] === undefined ? 0 : scales[deep[d]];
    kinds[0].push(Math.log1p(count));
    kinds[1].push(Math.log1p((largest * scale) / 0.03));
    kinds[2].push(Math.log1p((largest * scale) / 0.3));
    kinds[3].push(Math.log1p((newest * scale) / 0.03));
    kinds[4].push(Math.log1p((newest * scale) / 0.3));
  }
  const place = history.items.indexOf(item);
  const past = place < 0 || !history.own ? [0, 0, 0, 0] : history.own.slice(place * 4, place * 4 + 4);
  return [...logs, ...kinds.flat(), ...past];
}

function contributions(model: PlainScoring, history: PlainHistory, lane: number | undefined, item: number) {
  const found = { count: 0, largest: 0, newest: 0 };
  if (lane === undefined) return found;
  const { rows, query } = model.sparse[lane];
  history.items.slice(0, query.length).forEach((from, l) => {
    rows.columns[from].forEach((column, k) => {
      const value = Math.fround(Math.fround(query[l] * history.weights[l]) * rows.values[from][k]);
      if (column !== item || !(value > 0)) return;
      found.count++;
      found.largest = Math.max(found.largest, value);
      if (l === 0) found.newest = value;
    });
  });
  return found;
}

export function rankScore(model: PlainScoring, history: PlainHistory, ranker: PlainRanker, item: number): number {
  const features = featuresOf(model, history, ranker, item);
  return features.reduce((sum, feature, n) => sum + feature * ranker.weights[n], ranker.bias[item]);
}

/** The best items by the ranker of the blend's best. */
export function recommendRanked(
  model: PlainScoring,
  history: PlainHistory,
  ranker: PlainRanker,
  limit: number,
): { item: number; score: number }[] {
  return recommend(model, history, Math.max(limit, ranker.candidates))
    .map((item) => ({ item, score: rankScore(model, history, ranker, item) }))
    .sort((a, b) => b.score - a.score || a.item - b.item)
    .slice(0, limit);
}

/** How unlikely the targets of one question are, and the gradient: rows are candidates, targets have a label above 0. */
export function choiceGradient(
  rows: readonly (readonly number[])[],
  labels: readonly number[],
  weights: readonly number[],
): { loss: number; gradient: number[] } {
  const targets = labels.filter((label) => label > 0).length;
  if (targets === 0 || targets === rows.length) return { loss: 0, gradient: weights.map(() => 0) };
  const z = rows.map((row) => row.reduce((sum, value, k) => sum + value * weights[k], 0));
  const chances = (shift: number) => z.map((score) => 1 / (1 + Math.exp(-score - shift)));
  let [low, high] = [-1000, 1000];
  for (let halving = 0; halving < 100; halving++) {
    const middle = (low + high) / 2;
    if (chances(middle).reduce((sum, chance) => sum + chance, 0) < targets) low = middle;
    else high = middle;
  }
  const found = chances(low);
  const unlikely = found.map((chance, n) => -Math.log(labels[n] > 0 ? chance : 1 - chance));
  const label = Math.max(...labels);
  const gradient = weights.map((_, k) =>
    rows.reduce((sum, row, n) => sum + (found[n] * label - labels[n]) * row[k], 0),
  );
  return { loss: label * unlikely.reduce((sum, one) => sum + one, 0), gradient };
}
