// Checks every fitted model before it is saved: shapes agree, indices are in range, every number is finite. Training calls it
// once after the last fit, so that no model contains NaN.
import type { Blend, Expert, G1Model, LiftTables, QueryWeights, Ranker, SparseRows } from './g1-model.ts';
import type { UsageMaps } from './usage-maps.ts';

class UnsoundModel extends Error {
  constructor(what: string) {
    super(`The fitted model is not sound: ${what}.`);
    this.name = 'UnsoundModel';
  }
}

export function checkModel(model: G1Model): void {
  const items = model.itemIds.length;
  if (!(model.warmItemCount >= 0 && model.warmItemCount <= items))
    throw new UnsoundModel('warmItemCount exceeds the items');
  if (!(Number.isInteger(model.historyCap) && model.historyCap > 0))
    throw new UnsoundModel('historyCap is not positive');
  for (const [type, weight] of Object.entries(model.typeWeights)) checkNumber(weight, `weight of event type ${type}`);
  for (const expert of model.experts) checkExpert(expert, model);
  if (!model.experts.some((expert) => expert.kind === 'popularity'))
    throw new UnsoundModel('it has no popularity expert');
  checkBlend(model.blend, model);
  for (const moment of Object.values(model.moments ?? {})) {
    if (moment) checkBlend(moment.blend, model);
    if (moment?.ranker) checkRanker(moment.ranker, model);
  }
  if (model.vectors.values.length !== model.warmItemCount * model.vectors.dimensions) {
    throw new UnsoundModel('the vectors do not fit the items');
  }
  checkNumbers(model.vectors.values, 'vectors');
  checkNumber(model.repeats.rate, 'repeat rate');
  checkNumber(model.calibration.tau, 'tau');
  const { coldShare = 0 } = model.calibration;
  if (!(coldShare >= 0 && coldShare <= 1)) throw new UnsoundModel('the share of cold items is not from 0 to 1');
  if (model.onceItems && model.onceItems.length !== model.warmItemCount) {
    throw new UnsoundModel('the items taken once do not fit the items');
  }
  checkNumber(model.dislikeWeight ?? 0, 'weight of dislikes');
  for (const weight of [model.context?.weight, model.context?.weightAlone])
    checkNumber(weight ?? 0, 'weight of contexts');
  for (const [relation, rows] of Object.entries(model.relations ?? {})) {
    checkRows(rows, relation);
    if (rows.rowCount !== model.warmItemCount || rows.columnCount !== model.warmItemCount) {
      throw new UnsoundModel(`the relation ${relation} does not fit the items`);
    }
  }
  if (model.calibration.usage) checkUsage(model.calibration.usage);
  if (!['all', 'none', undefined].includes(model.recordlessItems)) throw new UnsoundModel('recordlessItems is unknown');
  if (model.coldUsers !== null) checkLifts(model.coldUsers, 'cold users', items);
  if (model.context) checkLifts(model.context, 'context', items);
}

function checkBlend(blend: Blend, model: G1Model): void {
  if (blend.weights.length !== model.experts.length) throw new UnsoundModel('blend and experts differ in length');
  for (const weight of blend.weights) checkNumber(weight, 'a blend weight');
  if (blend.transform.kind === 'log' && !(blend.transform.c > 0)) throw new UnsoundModel('log offset is not positive');
}

function checkRanker({ candidates, deep, weights, bias }: Ranker, model: G1Model): void {
  const experts = model.experts.length;
  if (!(Number.isInteger(candidates) && candidates > 0)) throw new UnsoundModel('a ranker has no candidates');
  if (weights.length !== 3 * experts + 24) throw new UnsoundModel('ranker and experts differ in length');
  for (const weight of weights) checkNumber(weight, 'a ranker weight');
  if (deep.length > 4 || deep.some((expert) => model.experts[expert]?.kind !== 'item-to-item'))
    throw new UnsoundModel('a ranker reads contributions of an expert that has none');
  if (bias.length !== model.warmItemCount) throw new UnsoundModel('a ranker does not fit the items');
  checkNumbers(bias, 'ranker bias');
}

function checkExpert(expert: Expert, model: G1Model): void {
  if (expert.kind === 'item-to-item') {
    checkRows(expert.rows, expert.name);
    if (expert.rows.rowCount > model.itemIds.length || expert.rows.columnCount > model.itemIds.length) {
      throw new UnsoundModel(`${expert.name} has more rows or columns than there are items`);
    }
    checkQuery(expert.query, expert.name);
    return;
  }
  checkNumbers(expert.values, expert.name);
  for (const value of expert.values) if (value < 0) throw new UnsoundModel(`${expert.name} has a negative value`);
}

function checkQuery(query: QueryWeights, name: string): void {
  for (const weight of query.kind === 'table' ? query.weights : [query.rho])
    checkNumber(weight, `${name} query weight`);
}

function checkLifts(tables: LiftTables, name: string, items: number): void {
  checkRows(tables.lifts, name);
  checkNumbers(tables.offsets, `${name} offsets`);
  checkNumbers(tables.logPopularity, `${name} popularity`);
  for (const weight of tables.historyWeights?.weights ?? []) checkNumber(weight, `${name} weight`);
  const features = tables.features.length;
  if (tables.lifts.rowCount !== features || tables.offsets.length !== features) {
    throw new UnsoundModel(`${name} tables differ in length`);
  }
  if (tables.logPopularity.length > items || tables.lifts.columnCount > items) {
    throw new UnsoundModel(`${name} tables have more items than the model`);
  }
}

function checkUsage({ all, attributes, values }: UsageMaps): void {
  for (const map of [all, ...[...attributes, ...values].map((mapped) => mapped.map)]) {
    for (const number of [map.offset, map.below, map.above]) checkNumber(number, 'a usage map');
    if (!(map.below > 0 && map.above > 0)) throw new UnsoundModel('a usage map falls');
  }
}

function checkRows(rows: SparseRows, name: string): void {
  const { offsets, columns, values, rowCount, columnCount } = rows;
  const entries = offsets[rowCount];
  if (offsets.length < rowCount + 1 || offsets[0] !== 0 || columns.length < entries || values.length < entries) {
    throw new UnsoundModel(`${name} rows do not fit their arrays`);
  }
  for (let row = 0; row < rowCount; row++) {
    if (offsets[row] > offsets[row + 1]) throw new UnsoundModel(`${name} row offsets fall at ${row}`);
  }
  for (let at = 0; at < entries; at++) {
    if (columns[at] >= columnCount) throw new UnsoundModel(`${name} names column ${columns[at]} of ${columnCount}`);
  }
  checkNumbers(values, name);
}

function checkNumbers(values: Float32Array, name: string): void {
  for (let at = 0; at < values.length; at++) {
    // a difference with itself is 0 for finite numbers only
    if (values[at] - values[at] !== 0) throw new UnsoundModel(`${name} holds ${values[at]} at ${at}`);
  }
}

function checkNumber(value: number, name: string): void {
  if (!Number.isFinite(value)) throw new UnsoundModel(`${name} is ${value}`);
}
