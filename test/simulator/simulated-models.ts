// Models of the simulation. Each lists the items in an order that follows from its file, so that a list of another model is noticed by
// what is in it.
import type { Catalog } from '../../src/catalog/catalog.ts';
import { createScorer } from '../../src/scoring/create-scorer.ts';
import { G1Recommender } from '../../src/scoring/g1-recommender.ts';
import type { Scorer } from '../../src/scoring/scorer.ts';
import type { LoadedRecommender } from '../../src/serving/model-cache.ts';
import { MODEL_PREFIX } from '../../src/store/blob-store.ts';
import { toyModel } from '../support/toy-model.ts';

export const ITEMS = ['i0', 'i1', 'i2', 'i3', 'i4', 'i5'];
/** Each of them forwards and backwards from each item. */
const ORDERS = 2 * ITEMS.length;

const MODELS = Array.from({ length: ORDERS }, (_, orderNo) => {
  const order = orderOf(orderNo);
  const values = Float32Array.from(ITEMS, (item) => ITEMS.length - order.indexOf(item));
  const model = toyModel(
    ITEMS.map((item) => ({ user: 'u', item })),
    {
      experts: [{ kind: 'popularity', name: 'popularity', values, settings: {} }],
      blend: { weights: [1], transform: { kind: 'log', c: 0.3 } },
    },
  );
  return { model, order };
});
const scorers: Scorer[] = [];

export const fileOf = (modelId: string): string => `${MODEL_PREFIX}${modelId}`;

/** As a file is read. */
export function recommenderOf(file: string, catalog: Catalog): LoadedRecommender {
  const orderNo = orderNoOf(file);
  const { model } = MODELS[orderNo];
  scorers[orderNo] ??= createScorer(model);
  return { recommender: new G1Recommender(model, catalog, () => scorers[orderNo]), fileBytes: 1 };
}

/** Whether the model would list these items in this order. */
export function isListOf(modelId: string, items: readonly string[]): boolean {
  const { order } = MODELS[orderNoOf(fileOf(modelId))];
  return items.every((item, n) => n === 0 || order.indexOf(items[n - 1]) < order.indexOf(item));
}

function orderOf(orderNo: number): string[] {
  const from = orderNo % ITEMS.length;
  const order = [...ITEMS.slice(from), ...ITEMS.slice(0, from)];
  return orderNo < ITEMS.length ? order : order.reverse();
}

function orderNoOf(file: string): number {
  let hash = 0;
  for (const character of file) hash = (hash * 31 + character.charCodeAt(0)) % 65_521;
  return hash % ORDERS;
}
