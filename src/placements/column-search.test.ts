// Lists straight from columns are those that the steps of a list make of the same events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { listCall } from '../../test/support/list-call.ts';
import { toyEvents } from '../../test/support/toy-catalog.ts';
import { toyModel } from '../../test/support/toy-model.ts';
import type { G1Model, MomentScoring } from '../artifact/g1-model.ts';
import { Catalog } from '../catalog/catalog.ts';
import { parseFilter } from '../domain/parse-filter.ts';
import type { SignalEvent } from '../history/user-signal.ts';
import { G1Recommender } from '../scoring/g1-recommender.ts';
import { createScorer } from '../scoring/scorer.ts';
import { makeList } from './make-list.ts';

const NOW = 1_800_000_000_000;
/** As a list call of the tests has it. */
const TOUCH_DAYS = 90;
const ITEMS = 12;
// The last one is not in the catalog, the store numbers them in an order of its own.
const NAMES = {
  items: Array.from({ length: ITEMS + 1 }, (_, n) => `i${(n * 5) % (ITEMS + 1)}`),
  types: ['view', 'wink', 'buy'],
};

const scoring = (weight: number, candidates: number): MomentScoring => ({
  blend: { weights: [weight, 0.2], transform: { kind: 'log', c: 0.1 } },
  ranker:
    candidates === 0
      ? null
      : {
          ...{ candidates, deep: [0], weights: Array.from({ length: 3 * 2 + 24 }, (_, n) => ((n * 7) % 5) / 5) },
          bias: new Float32Array(ITEMS),
        },
});

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
];

const event = fc.record({
  item: fc.nat(ITEMS),
  type: fc.nat(NAMES.types.length - 1),
  // A dislike is rare, or hardly any list would be made the short way.
  value: fc.constantFrom(1, 1, 1, 1, 1, 1, 2, 3, 0, 1, 1, -1),
  ageMs: fc.constantFrom(0, 60_000, 3_600_000, 86_400_000, 100 * 86_400_000, -5000),
});
const user = fc
  .array(event, { minLength: 1, maxLength: 14 })
  .map((events) => events.sort((one, other) => other.ageMs - one.ageMs));

test('a list straight from columns is the list that the steps make of the same events', () => {
  const ways = { short: 0, usual: 0 };
  const recommenders = MODELS.map((change) => {
    const catalog = new Catalog('items');
    for (let n = 0; n < ITEMS; n++) catalog.put(`i${n}`, { n });
    return new G1Recommender(toyModel(toyEvents(), change), catalog, createScorer);
  });
  const property = fc.property(
    fc.constantFrom(...recommenders),
    user,
    fc.constantFrom('discover' as const, 'any' as const),
    fc.record({ limit: fc.constantFrom(1, 3, ITEMS), isFiltered: fc.boolean() }),
    (generator, events, objective, { limit, isFiltered }) => {
      const allow = isFiltered ? generator.catalog.select(parseFilter('n != 4')) : null;
      const columns = {
        item: Uint32Array.from(events, ({ item }) => item),
        type: Uint32Array.from(events, ({ type }) => type),
        ts: Float64Array.from(events, ({ ageMs }) => NOW - ageMs),
        value: Float64Array.from(events, ({ value }) => value),
      };
      const history = events
        .map(({ item, type, value, ageMs }): SignalEvent => {
          const names = { item_id: NAMES.items[item], event_type: NAMES.types[type] };
          return { ...names, item_no: item, event_value: value, ts: NOW - ageMs };
        })
        .reverse();
      const search = generator.columnSearch()!;
      const about = { objective, limit, allow, nowMs: NOW, touchDays: TOUCH_DAYS, names: NAMES };
      const count = search.find({ columns, from: 0, to: events.length }, about);
      ways[count < 0 ? 'usual' : 'short']++;
      if (count < 0) return;
      const call = listCall({ generator, objective, history, nowMs: NOW, limit, allow });
      const { items } = makeList(call);
      assert.deepEqual(
        Array.from({ length: count }, (_, n) => [search.items[n], search.scores[n]]),
        items.map(({ item, score }) => [item, score]),
      );
    },
  );
  fc.assert(property, { numRuns: 600 });
  assert.ok(ways.short > 100, JSON.stringify(ways));
});
