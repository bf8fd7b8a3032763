// Plain twins of the kernels that score many histories: candidates, columns of the blend, best items. f32 where the kernels
// store f32, so that ties fall the same way.
import { type PlainRows, selectTop } from './rows.ts';

export interface PlainScoring {
  itemCount: number;
  sparse: { rows: PlainRows; query: readonly number[] }[];
  /** the largest 1 */
  popularity: readonly number[] | null;
  /** of the sparse experts, then of popularity */
  weights: readonly number[];
  /** c of log(1 + x/c); 0 for linear */
  logConstant: number;
}

/** Distinct items, newest first. */
export interface PlainHistory {
  items: readonly number[];
  weights: readonly number[];
  /** marks items that may not be listed */
  seen: readonly boolean[];
  /** items outside the history that may not be listed */
  excluded: readonly number[];
  /** four numbers an item of the history, for the ranker */
  own?: readonly number[];
}

const NOTHING = Math.fround(1e-30);

const hiddenItems = ({ items, seen, excluded }: PlainHistory) =>
  new Set([...items.filter((_, l) => seen[l]), ...excluded]);

/**
 * Of the items a history reaches, in the order they are met, each lane's sum as a share of its largest one; and what each lane's
 * sums were multiplied by.
 */
export function sharesOf(
  model: PlainScoring,
  history: PlainHistory,
): { shares: Map<number, number[]>; scales: number[] } {
  const { sparse, popularity } = model;
  const lanes = sparse.length + (popularity ? 1 : 0);
  const sums = new Map<number, number[]>();
  const sumsOf = (item: number) => {
    if (!sums.has(item)) sums.set(item, new Array<number>(lanes).fill(0));
    return sums.get(item)!;
  };
  history.items.forEach(sumsOf);
  sparse.forEach(({ rows, query }, lane) => {
    history.items.slice(0, query.length).forEach((item, l) => {
      const q = Math.fround(query[l] * history.weights[l]);
      if (q === 0) return;
      rows.columns[item].forEach((j, k) => {
        const own = sumsOf(j);
        own[lane] = Math.fround(own[lane] + Math.fround(q * rows.values[item][k]));
      });
    });
  });
  for (const item of history.excluded) sumsOf(item).fill(0);
  const hidden = hiddenItems(history);
  const scales = Array.from({ length: lanes }, (_, lane) => {
    if (lane === sparse.length) return 1;
    let largest = 0;
    for (const [item, own] of sums) if (!hidden.has(item) && own[lane] > largest) largest = own[lane];
    return largest > NOTHING ? Math.fround(1 / largest) : 0;
  });
  for (const [item, own] of sums) {
    if (popularity) own[sparse.length] = popularity[item];
    own.forEach((sum, lane) => {
      own[lane] = Math.fround(sum * scales[lane]);
    });
  }
  return { shares: sums, scales };
}

/** 0 for what is no number, as in the kernels. */
const positive = (share: number) => (Number.isNaN(share) ? 0 : Math.max(0, share));

/** The `perLane` best items of each lane, at most `slot` in all, and every lane's share of them. */
export function collectCandidates(model: PlainScoring, history: PlainHistory, perLane: number, slot: number) {
  const reached = [...sharesOf(model, history).shares];
  const hidden = hiddenItems(history);
  const picked = new Set<number>();
  for (let lane = 0; lane < model.weights.length; lane++) {
    const values = reached.map(([item, shares]) => (hidden.has(item) ? 0 : shares[lane]));
    for (const place of selectTop(values, perLane)) if (picked.size < slot) picked.add(place);
  }
  const chosen = [...picked].map((place) => reached[place]);
  return { items: chosen.map(([item]) => item), shares: chosen.map(([, shares]) => shares.map(positive)) };
}

/** z of every item. */
export function scoresOf(model: PlainScoring, history: PlainHistory): number[] {
  const { popularity, sparse, weights, logConstant } = model;
  const blend = (shares: readonly number[]) =>
    shares.reduce((z, own, lane) => {
      const share = positive(own);
      return z + weights[lane] * (logConstant > 0 ? Math.log1p(share / logConstant) : share);
    }, 0);
  const reached = sharesOf(model, history).shares;
  const rest = sparse.map(() => 0);
  return Array.from({ length: model.itemCount }, (_, j) =>
    blend(reached.get(j) ?? (popularity ? [...rest, popularity[j]] : rest)),
  );
}

/** The best items, best first; of equal ones the smaller. */
export function recommend(model: PlainScoring, history: PlainHistory, limit: number): number[] {
  const z = scoresOf(model, history);
  const hidden = hiddenItems(history);
  return [...z.keys()]
    .filter((j) => !hidden.has(j))
    .sort((a, b) => z[b] - z[a] || a - b)
    .slice(0, limit);
}
