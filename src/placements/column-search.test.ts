// Lists straight from columns are those that the steps of a list make of the same events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../test/support/fast-check.ts';
import { listInputs } from '../../test/support/list-inputs.ts';
import { parseFilter } from '../../test/support/parse-filter.ts';
import { toyEvents } from '../../test/support/toy-catalog.ts';
import { toyModel } from '../../test/support/toy-model.ts';
import type { G1Model, LiftTables, MomentScoring } from '../artifact/g1-model.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { SignalEvent } from '../history/user-signal.ts';
import { createScorer } from '../scoring/create-scorer.ts';
import { G1Recommender } from '../scoring/g1-recommender.ts';
import { makeList } from './make-list.ts';

const NOW = 1_800_000_000_000;
/** Used instead of the current time if the times of events are not real times. */
const SMALL = 100 * 86_400_000;
/** The value of list calls in the tests. */
const TOUCH_DAYS = 90;
const ITEMS = 12;
/** Number of items that are new to the model. */
const NEW_ITEMS = 2;
const STORED_ITEMS = ITEMS + NEW_ITEMS + 1;
// The last one is in no catalog, the store numbers them in an order of its own.
const NAMES = {
  items: Array.from({ length: STORED_ITEMS }, (_, n) => `i${(n * 4) % STORED_ITEMS}`),
  types: ['view', 'wink', 'buy'],
};

const scoring = (weight: number, candidates: number): MomentScoring => ({
  blend: { weights: [weight, 0.2], transform: { kind: 'log', c: 0.1 } },
  ranker:
    candidates === 0
      ? null
      : {
          candidates,
          deep: [0],
          weights: Array.from({ length: 3 * 2 + 24 }, (_, n) => ((n * 7) % 5) / 5),
          bias: new Float32Array(ITEMS),
        },
});

/** Lifts of users' attributes, which count next to short histories. */
const LIFTS: LiftTables = {
  binnings: [{ attribute: 'age', handling: 'NUMERICAL', edges: [20, 40] }],
  features: ['0:0', '0:2'],
  offsets: Float32Array.of(-0.1, -0.2),
  lifts: {
    rowCount: 2,
    columnCount: ITEMS,
    offsets: Uint32Array.of(0, 3, 5),
    columns: Uint32Array.of(1, 4, 7, 2, 7),
    values: Float32Array.of(0.7, 1.5, -2, 3, 0.4),
  },
  logPopularity: new Float32Array(ITEMS).fill(-2),
  kappas: [10],
  historyWeights: { counts: [1, 4], weights: [0.8, 0] },
};

const LEARNED = { touchStrengths: { view: 1 }, visitGapMs: 1_800_000, againHalfLifeDays: 90 };
const MODELS: readonly Partial<G1Model>[] = [
  {},
  { moments: { arriving: scoring(1, 6), browsing: scoring(-0.5, 0) } },
  {
    objectives: { auto: 'any', ...LEARNED },
    onceItems: Uint8Array.from({ length: ITEMS }, (_, n) => n % 2),
    moments: { arriving: scoring(1, 12), discovering: scoring(0.4, 3), discovering_browsing: scoring(0.1, 0) },
  },
  { typeWeights: { buy: 1 }, historyCap: 3, settings: { half_life_days: 10, value_weighting: 'relative' } },
  { moments: { arriving: scoring(1, 6) }, coldUsers: LIFTS },
];

const event = fc.record({
  item: fc.nat(STORED_ITEMS - 1),
  type: fc.nat(NAMES.types.length - 1),
  // A dislike is rare, or hardly any list would be made the short way.
  value: fc.constantFrom(1, 1, 1, 1, 1, 1, 2, 3, 0, 1, 1, -1),
  ageMs: fc.constantFrom(0, 60_000, 3_600_000, 86_400_000, 100 * 86_400_000, -5000),
});
const user = fc
  .array(event, { minLength: 1, maxLength: 14 })
  .map((events) => events.sort((one, other) => other.ageMs - one.ageMs));

test('a list straight from columns is the list that the steps make of the same events', async () => {
  const ways = { short: 0, usual: 0 };
  const recommenders = MODELS.flatMap((change) =>
    [0, NEW_ITEMS].map((newItems) => {
      const catalog = new Catalog('items');
      for (let n = 0; n < ITEMS + newItems; n++) catalog.put(`i${n}`, { n, half: n % 2 });
      return new G1Recommender(toyModel(toyEvents(), change), catalog, createScorer);
    }),
  );
  for (const recommender of recommenders) await recommender.settle();
  const property = fc.property(
    fc.constantFrom(...recommenders),
    user,
    fc.constantFrom('discover' as const, 'any' as const),
    fc.record({
      limit: fc.constantFrom(1, 3, ITEMS),
      isFiltered: fc.boolean(),
      age: fc.constantFrom(10, 30, 50),
      newest: fc.constantFrom(NOW, NOW, SMALL),
      excludedTypes: fc.constantFrom([], [], ['wink']),
    }),
    (generator, events, objective, { limit, isFiltered, age, excludedTypes, newest }) => {
      const allow = isFiltered ? generator.catalog.select(parseFilter('n != 4')) : null;
      const columns = {
        item: Uint32Array.from(events, ({ item }) => item),
        type: Uint32Array.from(events, ({ type }) => type),
        ts: Float64Array.from(events, ({ ageMs }) => newest - ageMs),
        value: Float64Array.from(events, ({ value }) => value),
      };
      const history = events
        .map(({ item, type, value, ageMs }): SignalEvent => {
          const names = { item_id: NAMES.items[item], event_type: NAMES.types[type] };
          return { ...names, item_no: item, event_value: value, ts: newest - ageMs };
        })
        .reverse();
      const search = generator.columnSearch()!;
      const about = { objective, limit, allow, nowMs: NOW, touchDays: TOUCH_DAYS, excludedTypes, names: NAMES };
      const count = search.find({ columns, from: 0, to: events.length }, about, { age });
      ways[count < 0 ? 'usual' : 'short']++;
      if (count < 0) return;
      const inputs = listInputs({
        generator,
        objective,
        history,
        nowMs: NOW,
        limit,
        allow,
        excludedTypes,
        attributes: { age },
      });
      const { items } = makeList(inputs);
      assert.deepEqual(
        Array.from({ length: count }, (_, n) => [search.items[n], search.scores[n]]),
        items.map(({ item, score }) => [item, score]),
      );
    },
  );
  fc.assert(property, { numRuns: 600 });
  assert.ok(ways.short > 100, JSON.stringify(ways));
});
